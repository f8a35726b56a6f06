// Drafts a plan: reads the targets, runs a dry run for each item, and combines the results.

import {
  type ComparedItem,
  changesMachineConfigs,
  composeDraft,
  type Draft,
  findBlocker,
  type LiveTargets,
  missingNamespaceText,
  type PlannedItem,
  plannedItems,
  type ReconcileFacts,
  withLiveTargets,
} from "@virt/advisor";
import { type KubeObject, type Ref } from "@virt/api";
import type { Cluster, ClusterReader } from "@virt/kube";
import { type Conflict, type ExpectedVersion, targetKey } from "@virt/objects";
import { type PolicySources, readPolicies } from "./disruption-policies.ts";
import type { RejectionCounter } from "./runtime.ts";

type DraftOptions = PolicySources & {
  readonly cluster: Cluster;
  /** The field manager of the profile. */
  readonly manager: string;
  readonly rejections: RejectionCounter;
};

type DraftFailure = Exclude<Draft, { kind: "drafted" }>;
type ItemComparison =
  | { readonly kind: "compared"; readonly item: ComparedItem }
  | { readonly kind: "modified" }
  | DraftFailure;

/** If a target changes while its plan is drafted, the draft restarts, up to this many times. */
const maxAttempts = 4;

export async function draftPlan(facts: ReconcileFacts, options: DraftOptions): Promise<Draft> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const draft = await tryDraftPlan(facts, options);
    if (draft !== "modified") return draft;
  }
  return { kind: "unavailable", message: "targets of the plan were modified concurrently" };
}

async function tryDraftPlan(facts: ReconcileFacts, options: DraftOptions): Promise<Draft | "modified"> {
  const targets = await readTargets(plannedItems(facts), options.cluster);
  if ("kind" in targets) return targets;
  const fresh = withLiveTargets(facts, targets);
  const blocked = findBlocker(fresh);
  if (blocked !== undefined) return { kind: "blocked", message: blocked.message };
  const planned = plannedItems(fresh);
  if (planned.some(({ target }) => !targets.has(targetKey(target)))) return "modified";
  const compared = await Promise.all(
    planned.map((item) => compareItem(item, targets.get(targetKey(item.target)), options)),
  );
  const failure = compared.find((one): one is DraftFailure => one.kind !== "compared" && one.kind !== "modified");
  if (failure !== undefined) return failure;
  if (compared.some(({ kind }) => kind === "modified")) return "modified";
  const items = compared.flatMap((one) => (one.kind === "compared" ? [one.item] : []));
  if (!changesMachineConfigs(items)) return composeDraft(fresh, items);
  const read = await readPolicies(options);
  return read.kind === "policies" ? composeDraft(fresh, items, read.policies) : read;
}

async function readTargets(
  planned: readonly PlannedItem[],
  cluster: ClusterReader,
): Promise<LiveTargets | DraftFailure> {
  const readings = await Promise.all(
    planned.map(async ({ target }) => ({ target, reading: await cluster.read(target) })),
  );
  const targets = new Map<string, KubeObject | undefined>();
  for (const { target, reading } of readings) {
    if (reading.kind === "found") targets.set(targetKey(target), reading.object);
    else if (reading.kind === "absent") targets.set(targetKey(target), undefined);
    else if (reading.kind === "missing")
      return { kind: "unavailable", message: `${target.kind} is no longer served: its CRD is missing` };
    else return { kind: "unavailable", message: `cannot read ${describeRef(target)}: ${reading.message}` };
  }
  return targets;
}

async function compareItem(
  planned: PlannedItem,
  live: KubeObject | undefined,
  options: DraftOptions,
): Promise<ItemComparison> {
  if (planned.operation === "Delete" || planned.isSkipped === true)
    return { kind: "compared", item: { planned, live, conflicts: [] } };
  return dryRunItem(planned, live, { ...options, conflicts: [], force: false });
}

type DryRunOptions = DraftOptions & { readonly conflicts: readonly Conflict[]; readonly force: boolean };

async function dryRunItem(
  planned: Extract<PlannedItem, { operation: "Apply" }>,
  live: KubeObject | undefined,
  options: DryRunOptions,
): Promise<ItemComparison> {
  const { cluster, manager, rejections, conflicts, force } = options;
  const outcome = await cluster.dryRunApply(planned.desired, {
    manager,
    force,
    expect: expectedVersion(live),
  });
  if (outcome.kind !== "rejected" && outcome.kind !== "unavailable") rejections.reset(planned.name);
  switch (outcome.kind) {
    case "done":
      return { kind: "compared", item: { planned, live, conflicts, ...(outcome.live && { predicted: outcome.live }) } };
    case "conflict":
      if (force) return { kind: "modified" };
      return dryRunItem(planned, live, { ...options, conflicts: sorted(outcome.conflicts), force: true });
    case "stale":
      return { kind: "modified" };
    case "missing":
      if (outcome.what === "namespace")
        return { kind: "blocked", message: missingNamespaceText(planned.target.namespace ?? "") };
      return { kind: "unavailable", message: `${planned.target.kind} is no longer served: its CRD is missing` };
    case "rejected":
      return rejections.count(planned.name, `${describeRef(planned.target)}: ${outcome.message}`);
    case "unavailable":
      return outcome;
  }
}

export function expectedVersion(live: KubeObject | undefined): ExpectedVersion {
  const { uid, resourceVersion } = live?.metadata ?? {};
  return uid === undefined || resourceVersion === undefined ? "absent" : { uid, resourceVersion };
}

function sorted(conflicts: readonly Conflict[]): readonly Conflict[] {
  const text = ({ field, manager }: Conflict) => `${field}\0${manager}`;
  return conflicts.toSorted((left, right) => (text(left) < text(right) ? -1 : 1));
}

export function describeRef({ kind, namespace, name }: Ref): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
