// One pass for one VirtPlatformConfig: read, compare, decide, do, write status once.

import {
  type Decision,
  type Draft,
  type Drifts,
  movedSinceApplied,
  newsOf,
  type Observed,
  observe,
  optionsOf,
  type PassFacts,
  record,
  retrying,
  suspects,
  transition,
  wantsDraft,
} from "@virt/advisor";
import type { Item, VirtPlatformConfig } from "@virt/api";
import type { Ending, Tools } from "@virt/kube";
import { confirmStale } from "./confirm-stale.ts";
import { draftPlan } from "./draft.ts";
import { gather } from "./gather.ts";
import type { AdvisorParts } from "./parts.ts";
import { perform } from "./perform.ts";
import { type Reported, report } from "./report.ts";
import { configWatch, targetWatch } from "./watches.ts";

const lastingMs = 60_000;
const listMs = 5_000;
const idleMs = 600_000;
/** Somebody else was faster, and the watch has not told us yet. */
const shortMs = 100;

export async function reconcile(config: VirtPlatformConfig, parts: AdvisorParts, tools: Tools): Promise<Ending> {
  const gathering = { ...parts, ...tools, nowMs: parts.clock.wall() };
  const gathered = await gather(config, { ...gathering, isForDraft: isDraftNear(config, parts) });
  if (gathered.kind === "waiting") return waiting(config, gathered, parts, tools);
  if (gathered.kind === "unavailable") return troubled(config, gathered, parts, tools);
  parts.metrics.lacks(config.metadata.name, unservedKinds(gathered.facts));
  const facts = await confirmStale(gathered.facts, tools.cluster);
  const confirmed = await parts.confirmer.confirm(config.metadata.name, suspects(facts), {
    cluster: tools.cluster,
    withConflicts: config.spec.action === "Apply" && config.spec.bypassOptimisticLock,
  });
  if (confirmed.kind === "unavailable") return troubled(config, confirmed, parts, tools);
  const { seen, decision } = await decide(facts, confirmed.drifts, parts, tools);
  if (decision.again.when === "retry") return troubled(config, decision.again, parts, tools);
  const reported = await report(config, decision.status, tools);
  return conclude({ config, seen, decision, reported }, parts, tools);
}

function unservedKinds(facts: PassFacts): readonly string[] {
  const { profile, isServed } = facts;
  const needs = profile?.needs(optionsOf(profile, facts)) ?? [];
  return needs.filter((need) => !isServed(need)).map(({ kind }) => kind);
}

/** What only a draft needs is read where one is sure to come, or where another version's plan is compared. */
function isDraftNear({ status }: VirtPlatformConfig, { operator }: AdvisorParts): boolean {
  const { phase, operatorVersion } = status ?? {};
  if (phase === "Drafting" || phase === "PrerequisiteFailed") return true;
  return (phase === "Completed" || phase === "CompletedWithUpgrade") && operatorVersion !== operator.version;
}

type Decided = { readonly seen: Observed; readonly decision: Decision };

async function decide(facts: PassFacts, drifts: Drifts, parts: AdvisorParts, tools: Tools): Promise<Decided> {
  const before = observe(facts, drifts);
  const judge = judging(facts.config, parts);
  const draft = wantsDraft(before) ? await draftNow(facts, parts, tools) : undefined;
  const seen = draft === undefined ? before : { ...before, draft };
  const decision = transition(seen);
  if (decision.effect === undefined) return { seen, decision };
  const { item } = decision.effect;
  const { bypassOptimisticLock, approvedPlan } = facts.config.spec;
  const done = await perform(facts.config, item, {
    cluster: tools.cluster,
    judge,
    isLockBypassed: bypassOptimisticLock && approvedPlan === undefined,
    wrote: (written, live) => tools.wrote(targetWatch(written.targetRef), live),
  });
  parts.metrics.wrote(facts.config.spec.profile, item, done.kind);
  return { seen, decision: record(seen, item, done) };
}

/** A plan that is refreshed in place needs what a draft reads, as a new one does. */
async function draftNow(facts: PassFacts, parts: AdvisorParts, tools: Tools): Promise<Draft> {
  const { config } = facts;
  const drafting = { cluster: tools.cluster, judge: judging(config, parts) };
  if (isDraftNear(config, parts)) return draftPlan(facts, drafting);
  const gathered = await gather(config, { ...parts, ...tools, nowMs: facts.now, isForDraft: true });
  if (gathered.kind === "unavailable") return gathered;
  if (gathered.kind === "waiting") return { kind: "unavailable", message: gathered.message };
  return draftPlan(gathered.facts, drafting);
}

const judging =
  ({ metadata: { name, generation } }: VirtPlatformConfig, { rejections, clock }: AdvisorParts) =>
  (item: Item["name"], message: string) =>
    rejections.judge(`${name}/${generation}/${item}`, message, clock.wall());

type Passed = Decided & { readonly config: VirtPlatformConfig; readonly reported: Reported };

function conclude(
  { config, seen, decision, reported }: Passed,
  parts: AdvisorParts,
  tools: Tools,
): Ending | Promise<Ending> {
  const { again, status } = decision;
  const now = parts.clock.wall();
  if (reported.kind === "unavailable") return troubled(config, reported, parts, tools);
  parts.troubles.delete(config.metadata.name);
  if (reported.kind === "edited") return { kind: "again", atMs: now + shortMs };
  if (reported.kind === "written") {
    tools.wrote(configWatch, reported.live);
    const moved = movedSinceApplied(seen.inputs).map((input) => input.moved);
    const managers = [...new Set(seen.items.flatMap(({ drift }) => drift?.managers ?? []))];
    for (const news of newsOf(config.status ?? {}, status, { moved, managers })) parts.announce(config, news);
    parts.metrics.changed(config, status);
  }
  switch (again.when) {
    case "at-once":
      return { kind: "again", atMs: reported.kind === "written" ? now : now + shortMs };
    case "at":
      return { kind: "again", atMs: again.atMs };
    case "on-change":
      return status.phase === "Ignored" || status.phase === "Failed"
        ? { kind: "done" }
        : { kind: "again", atMs: now + idleMs };
    case "retry":
      return { kind: "failed", ...(again.retryInMs !== undefined && { retryInMs: again.retryInMs }) };
  }
}

/** Lists are on their way, and their arrival wakes the config: no error, unless it lasts. */
async function waiting(
  config: VirtPlatformConfig,
  trouble: Trouble,
  parts: AdvisorParts,
  tools: Tools,
): Promise<Ending> {
  const since = parts.troubles.get(config.metadata.name);
  const now = parts.clock.wall();
  if (since !== undefined && now - since > lastingMs) return troubled(config, trouble, parts, tools);
  parts.troubles.set(config.metadata.name, since ?? now);
  return { kind: "again", atMs: now + listMs };
}

type Trouble = { readonly message: string; readonly retryInMs?: number };

/** Nothing is decided on an error that passes; one that lasts is told, so that nobody waits in the dark. */
async function troubled(
  config: VirtPlatformConfig,
  trouble: Trouble,
  parts: AdvisorParts,
  tools: Tools,
): Promise<Ending> {
  const { troubles, clock, log } = parts;
  const name = config.metadata.name;
  const now = clock.wall();
  const since = troubles.get(name) ?? now;
  troubles.set(name, since);
  parts.metrics.failed();
  log.debug("will be tried again", { config: name, why: trouble.message });
  const at = { now, generation: config.metadata.generation ?? 0 };
  const told = now - since > lastingMs ? retrying(config.status ?? {}, trouble.message, at) : undefined;
  if (told !== undefined) {
    const reported = await report(config, told, tools);
    if (reported.kind === "written") tools.wrote(configWatch, reported.live);
  }
  return { kind: "failed", ...(trouble.retryInMs !== undefined && { retryInMs: trouble.retryInMs }) };
}
