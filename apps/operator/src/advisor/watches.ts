// What the advisor watches: all configs, and for those that are not ignored what their profiles read and write.

import type { Profile } from "@virt/advisor";
import { configKind, type Ref, type VirtPlatformConfig } from "@virt/api";
import type { Watch, WatchSpec } from "@virt/kube";

export const configWatch: WatchSpec = {
  apiVersion: configKind.apiVersion,
  kind: configKind.kind,
  projection: { keep: "all" },
};

export const poolWatch: WatchSpec = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  projection: { keep: "parts", parts: [["metadata", "generation"], ["spec"], ["status"]] },
};

export const hcoName = "kubevirt-hyperconverged";
export const hcoVersions = ["hco.kubevirt.io/v1", "hco.kubevirt.io/v1beta1"] as const;

/** Its status moves all the time and is nobody's business here. */
export function hcoWatch(apiVersion: string, namespace: string): WatchSpec {
  const place = namespace === "" ? {} : { namespace };
  return { apiVersion, kind: "HyperConverged", name: hcoName, ...place, projection: content };
}

const content = {
  keep: "parts",
  parts: [["spec"], ["data"], ["metadata", "annotations"]],
} as const;

/** A target by its name. Who owns a MachineConfig decides whether it may be deleted, and it has no status that moves. */
export function targetWatch({ apiVersion, kind, namespace, name }: Ref): WatchSpec {
  const projection = kind === "MachineConfig" ? ({ keep: "all" } as const) : content;
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), projection };
}

export type Wanting = {
  readonly profiles: readonly Profile[];
  readonly hcoNamespace: string;
  readonly find: (spec: WatchSpec) => Watch | undefined;
};

/** What one config needs to be watched. */
export function watchesOf(config: VirtPlatformConfig, wanting: Wanting): readonly WatchSpec[] {
  const profile = wanting.profiles.find(({ name }) => name === config.spec.profile);
  if (profile === undefined || config.spec.action === "Ignore") return [];
  const reads = Object.values(profile.reads);
  const targets = (config.status?.items ?? []).map(({ targetRef }) => targetRef);
  const objects = reads.flatMap((read) => (read.read === "object" ? [read.ref] : []));
  const isRolledOut = reads.some(({ read }) => read === "pools" || read === "kernel");
  return [
    ...(reads.some(({ read }) => read === "hco") ? hcoWatches(wanting) : []),
    ...(isRolledOut ? [poolWatch] : []),
    ...[...objects, ...targets].map(targetWatch),
  ];
}

/** The newest version that is served; the older one only where the newer is not. */
function hcoWatches({ hcoNamespace, find }: Wanting): readonly WatchSpec[] {
  const [newest, older] = hcoVersions.map((version) => hcoWatch(version, hcoNamespace));
  if (newest === undefined || older === undefined) return [];
  return find(newest)?.state === "not served" ? [newest, older] : [newest];
}
