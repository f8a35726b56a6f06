// Confirms by a dry run what looks like drift in memory: the server may say the same in other words.

import type { Drift, Drifts, Suspect } from "@virt/advisor";
import { fieldManagers, type KubeObject } from "@virt/api";
import {
  type Cluster,
  type Conflict,
  changeDiff,
  contentChanges,
  creationDiff,
  deletionDiff,
  describeChange,
  desiredChanges,
  digest,
  isMadeBy,
  ownersOf,
  readOwners,
  writeDotted,
} from "@virt/engine";
import type { Reader } from "@virt/kube";
import { expecting, nameOf } from "./draft.ts";

export type Confirmed =
  | { readonly kind: "confirmed"; readonly drifts: Drifts }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

type Verdict = { readonly kind: "in-sync" } | { readonly kind: "drifted"; readonly drift: Drift };
type Asked = Verdict | Extract<Confirmed, { kind: "unavailable" }>;

/** Keeps each verdict until the item or its target changes. */
export class DriftConfirmer {
  readonly #verdicts = new Map<string, { readonly state: string; readonly verdict: Verdict }>();

  /** `withConflicts`: a correction will overwrite, and must name whom. */
  async confirm(
    config: string,
    suspects: readonly Suspect[],
    { cluster, withConflicts }: { readonly cluster: Cluster & Reader; readonly withConflicts: boolean },
  ): Promise<Confirmed> {
    const drifts = new Map<string, Drift>();
    for (const suspect of suspects) {
      const place = `${config}/${suspect.item.name}`;
      const state = stateOf(suspect, withConflicts);
      const known = this.#verdicts.get(place);
      const asked = known?.state === state ? known.verdict : await ask(suspect, cluster, withConflicts);
      if (asked.kind === "unavailable") return asked;
      this.#verdicts.set(place, { state, verdict: asked });
      if (asked.kind === "drifted") drifts.set(suspect.item.name, asked.drift);
    }
    return { kind: "confirmed", drifts };
  }
}

/** Its generation stands for its content where it has one: a status that moves is no reason to ask again. */
function stateOf({ item, live }: Suspect, withConflicts: boolean): string {
  const { uid = "", resourceVersion = "", generation = resourceVersion, labels = {} } = live?.metadata ?? {};
  return `${uid} ${generation} ${withConflicts} ${digest([item.desiredState ?? null, labels])}`;
}

async function ask(suspect: Suspect, cluster: Cluster & Reader, withConflicts: boolean): Promise<Asked> {
  const { item } = suspect;
  const reading = await cluster.read(item.targetRef);
  if (reading.kind === "missing")
    return { kind: "unavailable", message: `${item.targetRef.kind} is not served any more` };
  if (reading.kind === "rejected" || reading.kind === "unavailable")
    return { ...reading, kind: "unavailable", message: `cannot read ${nameOf(item.targetRef)}: ${reading.message}` };
  const live = reading.kind === "found" ? reading.object : undefined;
  if (item.desiredState === undefined) return removed(suspect, live);
  if (live === undefined) return drifted(suspect, { diff: creationDiff(item.desiredState) });
  return predicted(suspect, { live, desired: item.desiredState }, { cluster, withConflicts });
}

function removed({ item, changes }: Suspect, live: KubeObject | undefined): Verdict {
  const isBack = live !== undefined && isMadeBy(live, fieldManagers.advisor, item.managedFields ?? []);
  if (!isBack) return { kind: "in-sync" };
  return drifted({ item, live, changes }, { diff: deletionDiff(live) });
}

type Pair = { readonly live: KubeObject; readonly desired: KubeObject };
type Asking = { readonly cluster: Cluster; readonly withConflicts: boolean };

async function predicted(
  { item }: Suspect,
  { live, desired }: Pair,
  { cluster, withConflicts }: Asking,
): Promise<Asked> {
  const manager = fieldManagers.advisor;
  const expect = expecting(live);
  const gentle = withConflicts ? await cluster.predict(desired, { manager, force: false, expect }) : undefined;
  const conflicts = gentle?.kind === "conflict" ? gentle.conflicts : [];
  const outcome = await cluster.predict(desired, { manager, force: true, expect });
  if (outcome.kind !== "done" || outcome.live === undefined) {
    const message = "message" in outcome ? outcome.message : "it changed while it was compared";
    const retry =
      outcome.kind === "unavailable" && outcome.retryInMs !== undefined ? { retryInMs: outcome.retryInMs } : {};
    return { kind: "unavailable", message: `cannot compare ${nameOf(item.targetRef)}: ${message}`, ...retry };
  }
  if (contentChanges(live, outcome.live).length === 0) return { kind: "in-sync" };
  const changes = desiredChanges(desired, live);
  return drifted({ item, live, changes }, { diff: changeDiff(live, outcome.live), conflicts });
}

function drifted(
  { changes, live }: Suspect,
  { diff, conflicts = [] }: { readonly diff: string; readonly conflicts?: readonly Conflict[] },
): Verdict {
  const owners = live === undefined ? [] : readOwners(live);
  const others = changes.flatMap(({ path }) => ownersOf(owners, path).map(({ manager }) => manager));
  const managers = [...new Set(others)].filter((manager) => manager !== fieldManagers.advisor);
  const fields = changes.map(({ path }) => writeDotted(path));
  return { kind: "drifted", drift: { fields, changes: changes.map(describeChange), managers, diff, conflicts } };
}
