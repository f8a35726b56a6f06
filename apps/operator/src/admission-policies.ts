// Checks that a controller's admission policies match this release, and warns if one is missing or differs.

import type { ExpectedPolicy } from "@virt/catalog";
import { faultOfPolicy } from "@virt/cluster";
import {
  type Clock,
  type ClusterReader,
  type Controller,
  crdInformer,
  Gauge,
  type InformerState,
  type Log,
  type ReconcileResult,
  type Registry,
} from "@virt/kube";
import type { ControllerContext } from "./controller-factory.ts";

/** Enqueues the first check when the API server serves CRDs. Each check then requeues the next one. */
export function policyKeysFor({ spec, state }: Pick<InformerState, "spec" | "state">): readonly string[] {
  return spec.kind === crdInformer.kind && state !== "synced" ? ["admission policies"] : [];
}

export function policyController(group: string, policies: AdmissionPolicies): Controller {
  return {
    name: `${group} admission policies`,
    keysWhen: policyKeysFor,
    reconcile: (_key, { cluster }) => policies.reconcile(cluster),
  };
}

const apiVersion = "admissionregistration.k8s.io/v1";
const kinds = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"] as const;
const recheckMs = 600_000;
/** OLM does not install admission policies. See "Install with OLM" in docs/OPENSHIFT_DEPLOYMENT.md. */
const remedy =
  "apply the admission policies from a checkout of this release: kubectl apply --server-side -f bundle/admission.yaml if OLM installed the operator, otherwise kubectl apply --server-side -k config/admission";

export type PolicyStatus =
  | { readonly kind: "in-force" }
  | { readonly kind: "faulty"; readonly message: string }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

export type AdmissionPolicyOptions = {
  readonly expected: readonly ExpectedPolicy[];
  /** The operator's namespace, because the policies name its ServiceAccount. */
  readonly namespace: string;
  readonly metricPrefix: string;
  readonly registry: Registry;
  readonly recordEvent: ControllerContext["recordEvent"];
  readonly clock: Clock;
  readonly log: Log;
};

type Fault = { readonly kind: string; readonly name: string; readonly what: string };
type Checked = { readonly faults: readonly Fault[] } | Extract<PolicyStatus, { kind: "unavailable" }>;

export class AdmissionPolicies {
  readonly #parts: AdmissionPolicyOptions;
  readonly #gauge: ReturnType<typeof policyMetric>;
  #reported = "";

  constructor(parts: AdmissionPolicyOptions) {
    this.#parts = parts;
    this.#gauge = policyMetric(parts.registry, parts.metricPrefix);
  }

  /** Checks the policies every 10 minutes, or sooner if the server is unavailable. */
  async reconcile(cluster: ClusterReader): Promise<ReconcileResult> {
    const { clock } = this.#parts;
    const status = await this.check(cluster);
    if (status.kind === "unavailable")
      return { kind: "retry", ...(status.retryInMs !== undefined && { retryInMs: status.retryInMs }) };
    return { kind: "requeueAt", atMs: clock.wall() + recheckMs };
  }

  /** Checks the policies now, without a cache. Callers must not rely on an older result. */
  async check(cluster: ClusterReader): Promise<PolicyStatus> {
    const checked = await this.#findFaults(cluster);
    if (!("faults" in checked)) return checked;
    const { faults } = checked;
    const message = faults.map(({ kind, name, what }) => `${kind} ${name} ${what}`).join("; ");
    const status: PolicyStatus = faults.length === 0 ? { kind: "in-force" } : { kind: "faulty", message };
    this.#report(faults, message);
    return status;
  }

  async #findFaults(cluster: ClusterReader): Promise<Checked> {
    const { expected, namespace } = this.#parts;
    const refs = expected.flatMap(({ name, hash, bindingHash }) => [
      { kind: kinds[0], name, expectedHash: hash },
      { kind: kinds[1], name, expectedHash: bindingHash },
    ]);
    const readings = await Promise.all(
      refs.map(async (ref) => ({ ref, reading: await cluster.read({ apiVersion, kind: ref.kind, name: ref.name }) })),
    );
    const faults: Fault[] = [];
    for (const { ref, reading } of readings) {
      if (reading.kind === "unavailable") return reading;
      if (reading.kind === "rejected")
        return { kind: "unavailable", message: `cannot read ${ref.kind} ${ref.name}: ${reading.message}` };
      const live = reading.kind === "found" ? reading.object : undefined;
      const what = faultOfPolicy(live, ref.expectedHash, namespace);
      if (what !== undefined) faults.push({ kind: ref.kind, name: ref.name, what });
    }
    return { faults };
  }

  /** Sets the metric. Writes logs and events only if the result has changed. */
  #report(faults: readonly Fault[], message: string): void {
    const { expected, recordEvent, log } = this.#parts;
    for (const { name } of expected) {
      for (const kind of kinds) {
        const isFaulty = faults.some((fault) => fault.kind === kind && fault.name === name);
        this.#gauge.set({ kind, name }, isFaulty ? 0 : 1);
      }
    }
    if (message === this.#reported) return;
    if (faults.length === 0) log.info("all admission policies are in force");
    else log.warn("admission policies are not in force", { why: message, next: remedy });
    this.#reported = message;
    for (const { kind, name, what } of faults)
      recordEvent({
        regarding: { apiVersion, kind, name },
        type: "Warning",
        reason: "AdmissionPolicyNotInForce",
        action: "AdmissionPolicyNotInForce",
        note: `${kind} ${name} ${what}: requests that it should reject are admitted. Next: ${remedy}`,
      });
  }
}

export function policyMetric(registry: Registry, prefix: string) {
  return new Gauge({
    name: `${prefix}admission_policy_in_force`,
    help: "1 while an admission policy or binding matches this release, 0 while it is missing or differs.",
    labelNames: ["kind", "name"],
    registers: [registry],
  });
}
