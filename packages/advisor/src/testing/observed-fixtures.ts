// Test data: configs, items and observations without problems. Tests override single fields.

import type { Condition, Item, Phase, Spec, Status, VirtPlatformConfig } from "@virt/api";
import { type Health } from "@virt/cluster";
import { equalDiff } from "@virt/objects";
import { conditionsForPhase } from "../conditions/phase.ts";
import { type ConditionInput, writeConditions } from "../conditions/status-conditions.ts";
import { conditionsForTools } from "../conditions/tool.ts";
import { specHash } from "../hashes.ts";
import { itemMessages } from "../items.ts";
import type { Draft, Drift, Observed, ObservedInput, ObservedItem } from "../observed.ts";
import { stamp } from "../times.ts";

export const now = 1_800_000_000_000;
export const secondsAgo = (seconds: number) => stamp(now - seconds * 1000);
export const examplePlanHash = "a".repeat(64);
export const otherHash = "b".repeat(64);
export const generation = 3;

export const spec = (given: Partial<Spec> = {}): Spec => ({
  profile: "load-aware-rebalancing",
  action: "Apply",
  failurePolicy: "Abort",
  bypassOptimisticLock: false,
  ...given,
});

export const configObject = (
  status: Status,
  given: Partial<Spec> = {},
  metadata: Partial<VirtPlatformConfig["metadata"]> = {},
): VirtPlatformConfig => ({
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  metadata: { name: "load-aware-rebalancing", ...metadata },
  spec: spec(given),
  status,
});

const reviewed = { uid: "u1", resourceVersion: "1", hash: "h1" };
const psiTarget = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  name: "99-worker-psi-karg",
} as const;
const deschedulerTarget = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  namespace: "openshift-kube-descheduler-operator",
} as const;

export const psi = (given: Partial<Item> = {}): Item => ({
  name: "enable-psi-metrics",
  operation: "Apply",
  targetRef: psiTarget,
  impactSeverity: "High",
  changes: true,
  diff: "--- psi\n",
  desiredState: { ...psiTarget, metadata: { name: psiTarget.name }, spec: { kernelArguments: ["psi=1"] } },
  managedFields: ["spec.kernelArguments"],
  state: "Pending",
  message: "MachineConfig '99-worker-psi-karg' will be configured to enable PSI metrics",
  reviewed,
  ...given,
});

export const deschedulerItem = (given: Partial<Item> = {}): Item => ({
  name: "enable-load-aware-descheduling",
  operation: "Apply",
  targetRef: deschedulerTarget,
  impactSeverity: "Low",
  changes: true,
  diff: "--- descheduler\n",
  desiredState: { ...deschedulerTarget, metadata: { name: "cluster" }, spec: { mode: "Automatic" } },
  managedFields: ["spec.mode"],
  state: "Pending",
  message: "KubeDescheduler 'cluster' will be configured with profile 'KubeVirtRelieveAndMigrate'",
  reviewed,
  ...given,
});

export function removal(given: Partial<Item> = {}): Item {
  const { desiredState: _desired, ...item } = psi({ name: "disable-psi-metrics", operation: "Delete" });
  return { ...item, ...given };
}

/** Returns the item with a write that has started but is not confirmed. */
export const begunItem = (item: Item): Item => ({
  ...item,
  state: "InProgress",
  message: item.operation === "Delete" ? itemMessages.deleting : itemMessages.applying,
  lastTransitionTime: secondsAgo(60),
  ...(item.targetRef.kind === "MachineConfig" && {
    rollout: { startTime: secondsAgo(60), before: [{ pool: "worker", configuration: "rendered-1" }] },
  }),
});

export const appliedItem = (item: Item): Item => ({
  ...begunItem(item),
  appliedTime: secondsAgo(50),
  diff: equalDiff(item.targetRef),
});

export const doneItem = (item: Item): Item => ({
  ...appliedItem(item),
  state: "Completed",
  message: item.operation === "Delete" ? itemMessages.deleted : itemMessages.applied,
});

export const failedItem = (item: Item, message = "Failed to apply: no"): Item => ({
  ...begunItem(item),
  state: "Failed",
  message,
});

export const health = (state: Health["state"], message = `pool is ${state}`): Health => ({ state, message });

export const drift = (given: Partial<Drift> = {}): Drift => ({
  kind: "changed",
  fields: ["spec.mode"],
  changes: ['spec.mode ("Automatic" -> "Predictive")'],
  managers: ["kubectl-edit"],
  diff: "--- drifted\n",
  conflicts: [],
  ...given,
});

export function observedItem(item: Item, given: Partial<ObservedItem> = {}): ObservedItem {
  const current = given.current ?? item.reviewed ?? { uid: "", resourceVersion: "", hash: "" };
  const isStale = current.uid !== item.reviewed?.uid || current.hash !== item.reviewed.hash;
  const inSyncMessage = given.rollout?.message ?? inSyncMessageOf(item);
  const onNodes = item.targetRef.kind === "MachineConfig" ? { nodesWithout: [] } : {};
  return { item, isStale, isInPlace: false, pools: [], current, inSyncMessage, ...onNodes, ...given };
}

function inSyncMessageOf({ appliedTime, operation }: Item): string {
  if (appliedTime === undefined) return itemMessages.unchanged;
  return operation === "Delete" ? itemMessages.deleted : itemMessages.applied;
}

export const input = (given: Partial<ObservedInput> = {}): ObservedInput => ({
  name: "parallelMigrationsPerCluster",
  used: "5",
  applied: "5",
  now: "5",
  moved: "HCO parallelMigrationsPerCluster changed (scaled 5 -> 10)",
  change: "HyperConverged parallelMigrationsPerCluster changed 5 → 10",
  ...given,
});

export type DraftedPlanFields = Extract<Draft, { kind: "drafted" }>;

export const drafted = (items: readonly Item[], given: Partial<DraftedPlanFields> = {}): DraftedPlanFields => ({
  kind: "drafted",
  items,
  planHash: examplePlanHash,
  snapshotHash: "snapshot-2",
  impact: "High",
  disruption: [],
  writes: [],
  reverted: [],
  specHash: specHash(spec()),
  inputs: [],
  rollouts: {},
  pools: {},
  ...given,
});

export type ObservedOverrides = Partial<Omit<Observed, "spec" | "stored">> & {
  readonly spec?: Partial<Spec>;
  readonly stored?: Partial<Status>;
  readonly marks?: readonly ConditionInput[];
};

export function observedWith(phase: Phase, given: ObservedOverrides = {}): Observed {
  const {
    spec: asked,
    stored,
    marks = [],
    items = [observedItem(psi()), observedItem(deschedulerItem())],
    ...rest
  } = given;
  const wanted = spec(asked);
  return {
    now,
    operator: { version: "v2", mustPin: false },
    generation,
    spec: wanted,
    stored: {
      phase,
      impactSeverity: "High",
      observedGeneration: generation,
      ...(hasRun.includes(phase) && { executedGeneration: generation }),
      specHash: specHash(wanted),
      planHash: examplePlanHash,
      sourceSnapshotHash: "snapshot-1",
      operatorVersion: "v2",
      items: items.map(({ item }) => item),
      conditions: conditionsIn(phase, marks),
      ...stored,
    },
    impact: "High",
    inputs: [],
    items,
    snapshotHash: "snapshot-now",
    rollouts: [],
    statusOrigin: "own",
    isDisruptionStale: false,
    planCheck: { kind: "intact" },
    ...rest,
  };
}

export const running = (given: ObservedOverrides) => observedWith("InProgress", given);

export const summary = (items: readonly Item[] = []) => items.map(({ state, message }) => [state, message]);

const hasRun: readonly Phase[] = [
  "InProgress",
  "Completed",
  "CompletedWithErrors",
  "CompletedWithUpgrade",
  "Drifted",
  "Failed",
];

export function conditionsIn(phase: Phase, marks: readonly ConditionInput[] = []): readonly Condition[] {
  const said = conditionsForPhase(phase, "as before");
  const message = said.find(({ status }) => status === "True")?.message ?? "";
  const tool = conditionsForTools({ phase, message, isWithheld: true });
  return writeConditions({}, [...said, ...marks, ...tool], { now: now - 3_600_000, generation });
}
