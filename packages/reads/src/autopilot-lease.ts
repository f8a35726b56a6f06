// Reads the lease of virt-platform-autopilot, which shows the pod that leads.

import { autopilotName, type KubeObject } from "@virt/api";
import { usualHcoNamespaces } from "@virt/cluster";
import { type Client, Discovery, type InformerSpec, readerFor } from "@virt/kube";
import { asNumber, asText, at, readTime } from "@virt/objects";
import { listOnce } from "./informer-lists.ts";

/** The lease, or the reason why it is unknown. `free`: no pod holds it. */
export type AutopilotLease =
  | { readonly kind: "held" | "expired"; readonly lease: string; readonly holder: string; readonly renewedAt: string }
  | { readonly kind: "free"; readonly lease: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unread"; readonly message: string };

const lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  name: `${autopilotName}.kubevirt.io`,
} as const;

/** Searches all namespaces, or the usual ones of the HyperConverged if the user may not list all. */
export async function readAutopilotLease(
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
  now: number,
): Promise<AutopilotLease> {
  const discovery = new Discovery(client);
  const spec: InformerSpec = { ...lease, projection: { keep: "all" } };
  const listed = await listOnce(spec, { client, discovery, signal });
  if (listed.kind !== "failed") return autopilotLeaseOf(listed.kind === "listed" ? listed.items : [], now);
  const reader = readerFor({ client, discovery }, signal);
  const readings = await Promise.all(usualHcoNamespaces.map((namespace) => reader.read({ ...lease, namespace })));
  const found = readings.flatMap((one) => (one.kind === "found" ? [one.object] : []));
  const [refusal] = readings.flatMap((one) => ("message" in one ? [one.message] : []));
  return found.length === 0 && refusal !== undefined
    ? { kind: "unread", message: refusal }
    : autopilotLeaseOf(found, now);
}

/** Returns the lease that was renewed last. An installation in an earlier namespace may have left another one. */
export function autopilotLeaseOf(leases: readonly KubeObject[], now: number): AutopilotLease {
  const [latest] = leases.toSorted((left, right) => (renewTimeOf(left) < renewTimeOf(right) ? 1 : -1));
  if (latest === undefined) return { kind: "absent" };
  const { name, namespace = "" } = latest.metadata;
  const shown = `${namespace}/${name}`;
  const holder = asText(at(latest, "spec", "holderIdentity")) ?? "";
  if (holder === "") return { kind: "free", lease: shown };
  const renewedAt = renewTimeOf(latest);
  const lastsMs = (asNumber(at(latest, "spec", "leaseDurationSeconds")) ?? 0) * 1000;
  const isExpired = now > (readTime(renewedAt) ?? 0) + lastsMs;
  return { kind: isExpired ? "expired" : "held", lease: shown, holder, renewedAt };
}

function renewTimeOf(object: KubeObject): string {
  return asText(at(object, "spec", "renewTime")) ?? "";
}
