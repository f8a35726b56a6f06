// Decides for one object of virt-platform-autopilot whether to take it over, leave it or replace it.

import type { KubeObject, Ref } from "@virt/api";
import { readMachineConfigPool, roleLabel } from "@virt/cluster";
import type { Assessment, DisruptionPolicies } from "@virt/impact";
import { type Change, contentChanges, fieldPath, type Path, writePath } from "@virt/objects";
import { disruptionOfWrites, type NodeWrite } from "../reboot/node-write.ts";

/** The result of a dry run of our object over theirs, or the reason why there is none. */
export type AdoptionForecast =
  /** Our object has the same kind and name. `object` is the server's response. */
  | { readonly kind: "predicted"; readonly object: KubeObject }
  /** Our objects have other names. They are new objects as our controller would create them. */
  | { readonly kind: "other-name"; readonly objects: readonly KubeObject[] }
  /** Our controller would not apply its object, for this reason. */
  | { readonly kind: "not-applied"; readonly why: string };

/** An object of theirs in the cluster, and our assets with the same purpose. */
export type TheirObject = {
  readonly live: KubeObject;
  /** Empty if we have no counterpart. */
  readonly assets: readonly string[];
  /** Our objects of these assets, whether they exist or not. */
  readonly ours: readonly Ref[];
  readonly forecast: AdoptionForecast;
};

/** The facts that determine the nodes that a write reboots. */
export type NodeFacts = {
  readonly pools: readonly KubeObject[];
  readonly policies: Assessment<DisruptionPolicies>;
};

/** `replace`: ours is written instead of theirs, which reboots nodes. */
export type AdoptionAction = "take over" | "keep" | "replace";

/** A row of the preview. */
export type AdoptionRow = {
  readonly theirs: Ref;
  readonly assets: readonly string[];
  /** Undefined if no dry run can compare them. */
  readonly isEqual: boolean | undefined;
  readonly action: AdoptionAction;
  /** The number of nodes that the action reboots. */
  readonly reboots: number;
  /** The number of nodes that `--replace` would reboot. Absent if nothing of ours can replace the object. */
  readonly rebootsIfReplaced?: number;
  readonly changes: readonly Change[];
  /** The reason to keep the object, if it is not the content. */
  readonly why?: string;
};

/** Returns the row of an object. `replaced` names the assets whose counterparts the user wants to replace. */
export function adoptionRow(theirs: TheirObject, replaced: ReadonlySet<string>, nodes: NodeFacts): AdoptionRow {
  const { live, assets, forecast } = theirs;
  const row = { theirs: refOfObject(live), assets, changes: [] } as const;
  if (forecast.kind === "not-applied")
    return { ...row, isEqual: undefined, action: "keep", reboots: 0, why: forecast.why };
  const isAsked = assets.some((asset) => replaced.has(asset));
  const rebootsIfReplaced = rebootedNodes(replacingWrites(live, forecast), nodes);
  if (forecast.kind === "other-name") {
    const action = isAsked ? "replace" : "keep";
    return { ...row, isEqual: false, action, reboots: isAsked ? rebootsIfReplaced : 0, rebootsIfReplaced };
  }
  const changes = adoptedChanges(live, forecast.object);
  const isEqual = changes.length === 0;
  if (isEqual || !isNodeObject(live)) return { ...row, isEqual, changes, action: "take over", reboots: 0 };
  const action = isAsked ? "replace" : "keep";
  return { ...row, isEqual, changes, action, reboots: isAsked ? rebootsIfReplaced : 0, rebootsIfReplaced };
}

/** Returns the writes that replace theirs with ours. */
export function replacingWrites(live: KubeObject, forecast: AdoptionForecast): readonly NodeWrite[] {
  if (!isNodeObject(live) || forecast.kind === "not-applied") return [];
  if (forecast.kind === "predicted") return [{ before: live, after: forecast.object }];
  return [
    { before: live, after: undefined },
    ...forecast.objects.filter(isNodeObject).map((after) => ({ before: undefined, after })),
  ];
}

/** Returns the number of machines in the pools that the writes reboot. */
export function rebootedNodes(writes: readonly NodeWrite[], { pools, policies }: NodeFacts): number {
  const rebooted = disruptionOfWrites(writes, pools, policies).filter((each) => each.class === "Reboot");
  const names = new Set(rebooted.map(({ pool }) => pool));
  return pools
    .filter(({ metadata }) => names.has(metadata.name))
    .reduce((sum, pool) => sum + readMachineConfigPool(pool).machines.all, 0);
}

/** Returns the changes of content. Labels and annotations count only if they decide which pools select the object. */
export function adoptedChanges(live: KubeObject, predicted: KubeObject): readonly Change[] {
  return contentChanges(live, predicted).filter(({ path }) => isContent(path));
}

const rolePath = writePath(fieldPath("metadata", "labels", roleLabel));
const identity: readonly string[] = fieldPath("metadata", "apiVersion", "kind");

function isContent(path: Path): boolean {
  return !identity.includes(path[0] ?? "") || writePath(path) === rolePath;
}

/** Reports whether the object is a MachineConfig or a KubeletConfig, which reach the nodes. */
export function isNodeObject({ kind }: Pick<KubeObject, "kind">): boolean {
  return kind === "MachineConfig" || kind === "KubeletConfig";
}

/** Returns the identity of an object. */
export function refOfObject({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): Ref {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}
