// Worlds for the tests: configs, items and what a pass sees of them, each with everything in order unless it is told otherwise.

import type { Condition, Item, Phase, Spec, Status } from "@virt/api";
import { equalDiff, type Health } from "@virt/engine";
import { phaseSayings, type Saying } from "./conditions/phase.ts";
import { toolSayings } from "./conditions/tool.ts";
import { writeConditions } from "./conditions/write.ts";
import { specHash } from "./hashes.ts";
import type { Draft, Drift, InputSeen, ItemSeen, Observed } from "./observed.ts";
import { stamp } from "./stamp.ts";
import { texts } from "./texts.ts";

export const now = 1_800_000_000_000;
export const secondsAgo = (seconds: number) => stamp(now - seconds * 1000);
export const planHash = "a".repeat(64);
export const otherHash = "b".repeat(64);
export const generation = 3;

export const spec = (given: Partial<Spec> = {}): Spec => ({
  profile: "load-aware-rebalancing",
  action: "Apply",
  failurePolicy: "Abort",
  bypassOptimisticLock: false,
  ...given,
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

export const descheduler = (given: Partial<Item> = {}): Item => ({
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

/** On record as begun; nobody knows yet whether its write arrived. */
export const begunItem = (item: Item): Item => ({
  ...item,
  state: "InProgress",
  message: item.operation === "Delete" ? texts.deletingItem : texts.applyingItem,
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
  message: item.operation === "Delete" ? texts.deletedItem : texts.appliedItem,
});

export const failedItem = (item: Item, message = "Failed to apply: no"): Item => ({
  ...begunItem(item),
  state: "Failed",
  message,
});

export const health = (state: Health["state"], message = `pool is ${state}`): Health => ({ state, message });

export const drift = (given: Partial<Drift> = {}): Drift => ({
  fields: ["spec.mode"],
  changes: ['spec.mode ("Automatic" -> "Predictive")'],
  managers: ["kubectl-edit"],
  diff: "--- drifted\n",
  conflicts: [],
  ...given,
});

export function seenItem(item: Item, given: Partial<ItemSeen> = {}): ItemSeen {
  const current = given.current ?? item.reviewed ?? { uid: "", resourceVersion: "", hash: "" };
  const isStale = current.uid !== item.reviewed?.uid || current.hash !== item.reviewed.hash;
  const restingMessage = given.rollout?.message ?? restingOf(item);
  return { item, isStale, pools: [], current, restingMessage, ...given };
}

function restingOf({ appliedTime, operation }: Item): string {
  if (appliedTime === undefined) return texts.unchangedItem;
  return operation === "Delete" ? texts.deletedItem : texts.appliedItem;
}

export const input = (given: Partial<InputSeen> = {}): InputSeen => ({
  name: "parallelMigrationsPerCluster",
  used: "5",
  applied: "5",
  now: "5",
  moved: "HCO parallelMigrationsPerCluster changed (scaled 5 -> 10)",
  ...given,
});

export type Drafted = Extract<Draft, { kind: "drafted" }>;

export const drafted = (items: readonly Item[], given: Partial<Drafted> = {}): Drafted => ({
  kind: "drafted",
  items,
  planHash,
  snapshotHash: "snapshot-2",
  impact: "High",
  specHash: specHash(spec()),
  inputs: [],
  rollouts: {},
  pools: {},
  ...given,
});

export type Given = Partial<Omit<Observed, "spec" | "was">> & {
  readonly spec?: Partial<Spec>;
  readonly was?: Partial<Status>;
  readonly marks?: readonly Saying[];
};

/** A config at rest in a phase, looked at without any news. */
export function observed(phase: Phase, given: Given = {}): Observed {
  const { spec: asked, was, marks = [], items = [seenItem(psi()), seenItem(descheduler())], ...rest } = given;
  const wanted = spec(asked);
  return {
    now,
    operator: { version: "v2", mustPin: false },
    generation,
    spec: wanted,
    was: {
      phase,
      impactSeverity: "High",
      observedGeneration: generation,
      ...(hasRun.includes(phase) && { executedGeneration: generation }),
      specHash: specHash(wanted),
      planHash,
      sourceSnapshotHash: "snapshot-1",
      operatorVersion: "v2",
      items: items.map(({ item }) => item),
      conditions: conditionsIn(phase, marks),
      ...was,
    },
    impact: "High",
    inputs: [],
    items,
    snapshotHash: "snapshot-now",
    ...rest,
  };
}

const hasRun: readonly Phase[] = [
  "InProgress",
  "Completed",
  "CompletedWithErrors",
  "CompletedWithUpgrade",
  "Drifted",
  "Failed",
];

export function conditionsIn(phase: Phase, marks: readonly Saying[] = []): readonly Condition[] {
  const said = phaseSayings(phase, "as before");
  const message = said.find(({ status }) => status === "True")?.message ?? "";
  const tool = toolSayings({ phase, message, isWithheld: true });
  return writeConditions({}, [...said, ...marks, ...tool], { now: now - 3_600_000, generation });
}
