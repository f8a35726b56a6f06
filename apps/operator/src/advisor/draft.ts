// Drafts a plan: reads the targets afresh, asks the API server what each item would become, and composes the answers.

import {
  type Compared,
  composeDraft,
  type Draft,
  namespaceText,
  type PassFacts,
  type PlannedItem,
  plannedItems,
} from "@virt/advisor";
import { fieldManagers, type KubeObject, type Ref } from "@virt/api";
import { type Cluster, type Conflict, type Expect, targetKey } from "@virt/engine";
import type { Reader } from "@virt/kube";
import { withFresh } from "./fresh-facts.ts";
import type { Judged } from "./rejections.ts";

export type Drafting = {
  readonly cluster: Cluster & Reader;
  /** How often the server must refuse an item before that is believed. */
  readonly judge: (item: string, message: string) => Judged;
};

type Undrafted = Exclude<Draft, { kind: "drafted" }>;
type Comparing = { readonly kind: "compared"; readonly one: Compared } | { readonly kind: "moved" } | Undrafted;

/** Targets that move while they are compared make it start over. */
const mostRounds = 4;

export async function draftPlan(facts: PassFacts, drafting: Drafting): Promise<Draft> {
  for (let round = 0; round < mostRounds; round++) {
    const draft = await oneRound(facts, drafting);
    if (draft !== "moved") return draft;
  }
  return { kind: "unavailable", message: "the targets of the plan keep changing while they are compared" };
}

async function oneRound(facts: PassFacts, drafting: Drafting): Promise<Draft | "moved"> {
  const lives = await readTargets(plannedItems(facts), drafting.cluster);
  if ("kind" in lives) return lives;
  const fresh = withFresh(facts, lives);
  const planned = plannedItems(fresh);
  // What was read changed the plan itself.
  if (planned.some(({ target }) => !lives.has(targetKey(target)))) return "moved";
  const compared = await Promise.all(planned.map((item) => compare(item, lives.get(targetKey(item.target)), drafting)));
  const stopped = compared.find((one): one is Undrafted => one.kind !== "compared" && one.kind !== "moved");
  if (stopped !== undefined) return stopped;
  if (compared.some(({ kind }) => kind === "moved")) return "moved";
  return composeDraft(
    fresh,
    compared.flatMap((one) => (one.kind === "compared" ? [one.one] : [])),
  );
}

export type Lives = ReadonlyMap<string, KubeObject | undefined>;

async function readTargets(planned: readonly PlannedItem[], cluster: Reader): Promise<Lives | Undrafted> {
  const readings = await Promise.all(
    planned.map(async ({ target }) => ({ target, reading: await cluster.read(target) })),
  );
  const lives = new Map<string, KubeObject | undefined>();
  for (const { target, reading } of readings) {
    if (reading.kind === "found") lives.set(targetKey(target), reading.object);
    else if (reading.kind === "absent") lives.set(targetKey(target), undefined);
    else if (reading.kind === "missing")
      return { kind: "unavailable", message: `${target.kind} is not served any more` };
    else return { kind: "unavailable", message: `cannot read ${nameOf(target)}: ${reading.message}` };
  }
  return lives;
}

async function compare(planned: PlannedItem, live: KubeObject | undefined, drafting: Drafting): Promise<Comparing> {
  const bare = { planned, live, conflicts: [] };
  if (planned.operation === "Delete" || planned.isSkipped === true) return { kind: "compared", one: bare };
  return predict(planned, live, { ...drafting, conflicts: [], force: false });
}

type Predicting = Drafting & { readonly conflicts: readonly Conflict[]; readonly force: boolean };

async function predict(
  planned: Extract<PlannedItem, { operation: "Apply" }>,
  live: KubeObject | undefined,
  predicting: Predicting,
): Promise<Comparing> {
  const { cluster, judge, conflicts, force } = predicting;
  const outcome = await cluster.predict(planned.desired, {
    manager: fieldManagers.advisor,
    force,
    expect: expecting(live),
  });
  switch (outcome.kind) {
    case "done":
      return { kind: "compared", one: { planned, live, conflicts, ...(outcome.live && { predicted: outcome.live }) } };
    case "conflict":
      if (force) return { kind: "moved" };
      return predict(planned, live, { ...predicting, conflicts: sorted(outcome.conflicts), force: true });
    case "stale":
      return { kind: "moved" };
    case "missing":
      if (outcome.what === "namespace")
        return { kind: "blocked", message: namespaceText(planned.target.namespace ?? "") };
      return { kind: "unavailable", message: `${planned.target.kind} is not served any more` };
    case "rejected":
      return judge(planned.name, `${nameOf(planned.target)}: ${outcome.message}`);
    case "unavailable":
      return outcome;
  }
}

export function expecting(live: KubeObject | undefined): Expect {
  const { uid, resourceVersion } = live?.metadata ?? {};
  return uid === undefined || resourceVersion === undefined ? "absent" : { uid, resourceVersion };
}

function sorted(conflicts: readonly Conflict[]): readonly Conflict[] {
  const text = ({ field, manager }: Conflict) => `${field}\0${manager}`;
  return conflicts.toSorted((left, right) => (text(left) < text(right) ? -1 : 1));
}

export function nameOf({ kind, namespace, name }: Ref): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
