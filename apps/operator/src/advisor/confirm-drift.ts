// Confirms findings from caches with the API server: drift with a dry run, stale targets with a read.

import {
  admissionChanges,
  type Drift,
  type DriftSuspect,
  type Drifts,
  isPlanOpen,
  isStale,
  mutationRecheckMs,
  type ReconcileFacts,
  targetsOfMovedInputs,
  withLiveTargets,
} from "@virt/advisor";
import { isAdvisorManager, type KubeObject, type Ref } from "@virt/api";
import type { Cluster, ClusterReader } from "@virt/kube";
import {
  type Conflict,
  changeDiff,
  contentChanges,
  creationDiff,
  deletionDiff,
  describeChange,
  desiredChanges,
  digest,
  equalDiff,
  isMadeBy,
  ownersOf,
  readOwners,
  targetKey,
  writeDotted,
} from "@virt/objects";
import { describeRef, expectedVersion } from "./draft-plan.ts";

type DriftConfirmation =
  | { readonly kind: "confirmed"; readonly drifts: Drifts }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

type DriftCheck = { readonly kind: "in-sync" } | { readonly kind: "drifted"; readonly drift: Drift };
type DriftCheckResult = DriftCheck | Extract<DriftConfirmation, { kind: "unavailable" }>;

type CachedCheck = { readonly state: string; readonly check: DriftCheck; readonly untilMs: number };
type DriftConfirmOptions = {
  readonly cluster: Cluster;
  /** The field manager of the profile. */
  readonly manager: string;
  /** True if a correction would overwrite fields, so their owners must be reported. */
  readonly withConflicts: boolean;
  readonly nowMs: number;
};

/** Caches results until the item or its target changes. Rechecks differences caused by admission mutations after 1 minute. */
export class DriftConfirmer {
  readonly #checks = new Map<string, CachedCheck>();

  async confirm(
    config: string,
    suspects: readonly DriftSuspect[],
    { nowMs, ...options }: DriftConfirmOptions,
  ): Promise<DriftConfirmation> {
    const drifts = new Map<string, Drift>();
    for (const suspect of suspects) {
      const cacheKey = `${config}/${suspect.item.name}`;
      const state = stateOf(suspect, options.withConflicts);
      const cached = this.#checks.get(cacheKey);
      const isCurrent = cached?.state === state && nowMs < cached.untilMs;
      const check = isCurrent ? cached.check : await checkDrift(suspect, options);
      if (check.kind === "unavailable") return check;
      if (!isCurrent) this.#checks.set(cacheKey, { state, check, untilMs: validUntil(check, nowMs) });
      if (check.kind === "drifted") drifts.set(suspect.item.name, check.drift);
    }
    return { kind: "confirmed", drifts };
  }
}

function validUntil(check: DriftCheck, nowMs: number): number {
  const isMutated = check.kind === "drifted" && check.drift.kind === "mutated";
  return isMutated ? nowMs + mutationRecheckMs : Number.POSITIVE_INFINITY;
}

/** Returns a cache key that ignores the status. It contains the generation if the object has one, otherwise the content. */
function stateOf({ item, live }: DriftSuspect, withConflicts: boolean): string {
  const { uid = "", generation, labels = {}, annotations = {} } = live?.metadata ?? {};
  const content = generation ?? [live?.["spec"] ?? null, live?.["data"] ?? null, annotations];
  return `${uid} ${withConflicts} ${digest([item.desiredState ?? null, labels, content])}`;
}

type DriftWriter = Omit<DriftConfirmOptions, "nowMs">;

async function checkDrift(suspect: DriftSuspect, writer: DriftWriter): Promise<DriftCheckResult> {
  const { item } = suspect;
  const reading = await writer.cluster.read(item.targetRef);
  if (reading.kind === "missing")
    return { kind: "unavailable", message: `${item.targetRef.kind} is no longer served: its CRD is missing` };
  if (reading.kind === "rejected" || reading.kind === "unavailable")
    return {
      ...reading,
      kind: "unavailable",
      message: `cannot read ${describeRef(item.targetRef)}: ${reading.message}`,
    };
  const live = reading.kind === "found" ? reading.object : undefined;
  if (item.desiredState === undefined) return checkDeleted(suspect, live, writer.manager);
  if (live === undefined) return driftedBy(suspect, { kind: "deleted", diff: creationDiff(item.desiredState) });
  return confirmByDryRun(suspect, { live, desired: item.desiredState }, writer);
}

function checkDeleted({ item, changes }: DriftSuspect, live: KubeObject | undefined, manager: string): DriftCheck {
  const isBack = live !== undefined && isMadeBy(live, manager, item.managedFields ?? []);
  if (!isBack) return { kind: "in-sync" };
  return driftedBy({ item, live, changes }, { kind: "created-again", diff: deletionDiff(live) });
}

async function confirmByDryRun(
  { item }: DriftSuspect,
  { live, desired }: { readonly live: KubeObject; readonly desired: KubeObject },
  { cluster, manager, withConflicts }: DriftWriter,
): Promise<DriftCheckResult> {
  const expect = expectedVersion(live);
  const unforced = withConflicts ? await cluster.dryRunApply(desired, { manager, force: false, expect }) : undefined;
  const conflicts = unforced?.kind === "conflict" ? unforced.conflicts : [];
  const outcome = await cluster.dryRunApply(desired, { manager, force: true, expect });
  if (outcome.kind !== "done" || outcome.live === undefined) {
    const message = "message" in outcome ? outcome.message : "object was modified concurrently";
    const retry =
      outcome.kind === "unavailable" && outcome.retryInMs !== undefined ? { retryInMs: outcome.retryInMs } : {};
    return { kind: "unavailable", message: `cannot compare ${describeRef(item.targetRef)}: ${message}`, ...retry };
  }
  const changes = desiredChanges(desired, live);
  if (contentChanges(live, outcome.live).length === 0) {
    const mutated = admissionChanges(desired, outcome.live, manager);
    if (mutated.length === 0) return { kind: "in-sync" };
    return driftedBy({ item, live, changes: mutated }, { kind: "mutated", diff: equalDiff(item.targetRef) });
  }
  return driftedBy({ item, live, changes }, { kind: "changed", diff: changeDiff(live, outcome.live), conflicts });
}

type DriftDetails = Pick<Drift, "kind" | "diff"> & { readonly conflicts?: readonly Conflict[] };

function driftedBy({ changes, live }: DriftSuspect, { kind, diff, conflicts = [] }: DriftDetails): DriftCheck {
  const owners = live === undefined ? [] : readOwners(live);
  const others = changes.flatMap(({ path }) => ownersOf(owners, path).map(({ manager }) => manager));
  const managers = [...new Set(others)].filter((manager) => !isAdvisorManager(manager));
  const fields = changes.map(({ path }) => writeDotted(path));
  return { kind: "drifted", drift: { kind, fields, changes: changes.map(describeChange), managers, diff, conflicts } };
}

/**
 * Re-reads targets that appear to be stale or to change an input. A watch that started before a CRD update still
 * returns objects in the old schema. Keeps the cached object if the read fails.
 */
export async function confirmStaleTargets(facts: ReconcileFacts, cluster: ClusterReader): Promise<ReconcileFacts> {
  if (facts.profile === undefined) return facts;
  const suspects = [...staleTargets(facts), ...targetsOfMovedInputs(facts)];
  const targets = new Map<string, KubeObject | undefined>();
  for (const [key, target] of new Map(suspects.map((ref) => [targetKey(ref), ref]))) {
    const reading = await cluster.read(target);
    if (reading.kind === "found") targets.set(key, reading.object);
    if (reading.kind === "absent") targets.set(key, undefined);
  }
  return targets.size === 0 ? facts : withLiveTargets(facts, targets);
}

function staleTargets({ config, live }: ReconcileFacts): readonly Ref[] {
  const { phase, items = [] } = config.status ?? {};
  if (!isPlanOpen(phase)) return [];
  const stale = items.filter((item) => item.state === "Pending" && isStale(item, live(item.targetRef)));
  return stale.map(({ targetRef }) => targetRef);
}
