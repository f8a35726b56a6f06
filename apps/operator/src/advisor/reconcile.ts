// Reconciles one VirtPlatformConfig: reads, decides, applies at most one item and writes the status once.

import {
  type Draft,
  type Drifts,
  type Effect,
  findDriftSuspects,
  isLockBypassed,
  isRolloutOpen,
  isWriteOpen,
  type Observed,
  observe,
  optionsOf,
  publishStatus,
  type ReconcileFacts,
  recordItemResult,
  shiftTimes,
  transition,
  wantsDraft,
} from "@virt/advisor";
import { type Impact, type Phase, profileManager, type VirtPlatformConfig } from "@virt/api";
import type { ReconcileContext, ReconcileResult } from "@virt/kube";
import type { PolicyStatus } from "../admission-policies.ts";
import { advertiseProfile } from "./advertise.ts";
import { applyItem } from "./apply-item.ts";
import { confirmStaleTargets } from "./confirm-drift.ts";
import { correctDocumentationLink } from "./documentation-link.ts";
import { draftPlan } from "./draft-plan.ts";
import { gatherFacts } from "./gather-facts.ts";
import { isImpactFollowed, isRolloutFollowed, targetInformer } from "./informers.ts";
import type { KnownConfig } from "./own-statuses.ts";
import {
  type DecidedConfig,
  reportDecision,
  reportTransientError,
  reportWaiting,
  requeueUnsynced,
  restoreOwnStatus,
} from "./report.ts";
import type { AdvisorRuntime, RejectionCounter } from "./runtime.ts";

export async function reconcileConfig(
  key: string,
  runtime: AdvisorRuntime,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const config = runtime.view.config(key);
  if (config === undefined) {
    for (const memory of [runtime.ownStatuses, runtime.clockSteps, runtime.rejections]) memory.forget(key);
    runtime.impacts.forget(key);
    runtime.doctor.forget(key);
    runtime.drafts.delete(key);
    runtime.transientErrors.delete(key);
    runtime.linkRetries.delete(key);
    return advertiseProfile(key, runtime, context);
  }
  if (config.metadata["deletionTimestamp"] !== undefined) return { kind: "done" };
  if (await correctDocumentationLink(config, runtime, context)) return { kind: "done" }; // the write wakes this config
  const startMs = runtime.clock.monotonic();
  const result = await reconcileStored(config, runtime, context);
  runtime.metrics.observeReconcile((runtime.clock.monotonic() - startMs) / 1000);
  runtime.refreshInformers();
  return result;
}

async function reconcileStored(
  stored: VirtPlatformConfig,
  runtime: AdvisorRuntime,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const recognized = await runtime.ownStatuses.recognize(stored, context.cluster);
  if (recognized.kind === "retry") return recognized;
  if (recognized.kind === "outdated") return requeueUnsynced(runtime);
  if (recognized.kind === "foreign") return restoreOwnStatus(stored, recognized, runtime, context);
  const { nowMs, stepMs, settle: settleClock } = runtime.clockSteps.read(stored.metadata.name);
  const { status } = recognized.config;
  const config = {
    ...recognized.config,
    ...(status && { status: stepMs === 0 ? status : shiftTimes(status, stepMs) }),
  };
  const policies = await checkPolicies(config, runtime, context);
  if (policies.kind === "unavailable") return reportTransientError(config, policies, runtime, context);
  const withheld = policies.kind === "faulty" ? { withheld: policies.message } : {};
  const sources = { ...runtime, ...context, ...recognized, operator: { ...runtime.operator, ...withheld }, nowMs };
  const gathered = await gatherFacts(config, { ...sources, isForDraft: isDraftNear(recognized, runtime) });
  if (gathered.kind === "waiting") return reportWaiting(config, gathered, runtime, context);
  if (gathered.kind === "unavailable") return reportTransientError(config, gathered, runtime, context);
  runtime.metrics.setMissingKinds(config.metadata.name, unservedKinds(gathered.facts));
  const facts = await confirmStaleTargets(gathered.facts, context.cluster);
  const confirmed = await runtime.confirmer.confirm(config.metadata.name, findDriftSuspects(facts), {
    cluster: context.cluster,
    manager: profileManager(config.spec.profile),
    withConflicts: config.spec.action === "Apply" && config.spec.bypassOptimisticLock,
    nowMs,
  });
  if (confirmed.kind === "unavailable") return reportTransientError(config, confirmed, runtime, context);
  const impactNow = await assessPlan(config, runtime, context);
  const rollingNodes = collectRollout(config, facts, runtime);
  const known = { ...facts, ...(impactNow && { impactNow }), ...(rollingNodes && { rollingNodes }) };
  const observed = await observeConfig(known, confirmed.drifts, runtime, context);
  const decision = transition(observed);
  const { effect } = decision;
  const acted = effect === undefined ? { decision } : await executeItem(config, observed, effect, runtime, context);
  const { requeue, status: next } = acted.decision;
  if (requeue.when === "retry") return reportTransientError(config, requeue, runtime, context);
  const rollout = rollingNodes && (await runtime.doctor.diagnose(config, rollingNodes, context, !isRolloutOpen(next)));
  const impact = effect === undefined ? impactNow : undefined;
  const published = publishStatus(acted.decision, observed, { impact, rollout });
  return reportDecision(stored, { ...acted, observed, decision: published, config, settleClock }, runtime, context);
}

/** Checks the admission policies before execution. Without them, any user who can edit a config can approve its plan. */
async function checkPolicies(
  { spec, status }: VirtPlatformConfig,
  { operator, policies }: AdvisorRuntime,
  { cluster }: ReconcileContext,
): Promise<PolicyStatus> {
  const mayExecuteNow = spec.action === "Apply" && !idlePhases.has(status?.phase);
  return operator.mustPin && mayExecuteNow ? policies.check(cluster) : { kind: "in-force" };
}

/** Phases in which nothing is executed. */
const idlePhases: ReadonlySet<Phase | undefined> = new Set(["Completed", "CompletedWithErrors", "Failed"]);

/** Reports whether to read the facts for a draft: before a draft, a comparison of operator versions, or a write. */
function isDraftNear({ config, statusOrigin }: KnownConfig, { operator }: AdvisorRuntime): boolean {
  const { metadata, spec, status = {} } = config;
  const { phase, operatorVersion, items = [], observedGeneration } = status;
  if (phase === "Drafting" || phase === "PrerequisiteFailed") return true;
  if (phase === "InProgress") return statusOrigin !== "own" || items.some(isWriteOpen);
  if (phase === "ReviewRequired")
    return statusOrigin !== "own" || (spec.action === "Apply" && metadata.generation !== observedGeneration);
  return (phase === "Completed" || phase === "CompletedWithUpgrade") && operatorVersion !== operator.version;
}

function unservedKinds(facts: ReconcileFacts): readonly string[] {
  const { profile, isServed } = facts;
  const needs = profile?.needs(optionsOf(profile, facts)) ?? [];
  return needs.filter((need) => !isServed(need)).map(({ kind }) => kind);
}

/** Assesses the impact. If the config has guards, the impact must be up to date when an approved plan starts. */
async function assessPlan(
  config: VirtPlatformConfig,
  { impacts, discovery }: AdvisorRuntime,
  context: ReconcileContext,
): Promise<Impact | undefined> {
  if (!isImpactFollowed(config)) {
    impacts.forget(config.metadata.name);
    return undefined;
  }
  const isUrgent = config.spec.action === "Apply" && config.spec.guards !== undefined;
  return impacts.assess(config, { ...context, discovery }, isUrgent);
}

/**
 * Collects the facts about the rollout from memory, so that a write does not wait for requests. Returns undefined if
 * there is no rollout, or informers have not synced.
 */
function collectRollout(
  config: VirtPlatformConfig,
  facts: ReconcileFacts,
  { doctor }: AdvisorRuntime,
): ReturnType<AdvisorRuntime["doctor"]["collect"]> {
  if (isRolloutFollowed(config)) return doctor.collect(config, facts);
  doctor.forget(config.metadata.name);
  return undefined;
}

/** Observes the cluster. Drafts a plan if the decision needs one. */
async function observeConfig(
  facts: ReconcileFacts,
  drifts: Drifts,
  runtime: AdvisorRuntime,
  context: ReconcileContext,
): Promise<Observed> {
  const observed = observe(facts, drifts);
  if (!wantsDraft(observed)) return observed;
  const draft = await draftFromFacts(facts, runtime, context);
  if (draft.kind === "drafted") {
    const { planHash, writes } = draft;
    runtime.drafts.set(facts.config.metadata.name, { planHash, writes });
  }
  return { ...observed, draft };
}

async function draftFromFacts(
  facts: ReconcileFacts,
  runtime: AdvisorRuntime,
  context: ReconcileContext,
): Promise<Draft> {
  const { config, statusOrigin, now: nowMs } = facts;
  const { discovery } = runtime;
  const manager = profileManager(config.spec.profile);
  const options = { ...context, discovery, manager, rejections: rejectionsOf("dry run", config, runtime) };
  if (facts.isForDraft) return draftPlan(facts, options);
  const gathered = await gatherFacts(config, { ...runtime, ...context, nowMs, statusOrigin, isForDraft: true });
  if (gathered.kind === "unavailable") return gathered;
  if (gathered.kind === "waiting") return { kind: "unavailable", message: gathered.message };
  return draftPlan(gathered.facts, options);
}

/** Applies the item, and returns the decision that records the result. */
async function executeItem(
  config: VirtPlatformConfig,
  observed: Observed,
  { item }: Effect,
  runtime: AdvisorRuntime,
  context: ReconcileContext,
): Promise<Pick<DecidedConfig, "decision" | "tookOver">> {
  const result = await applyItem(config, item, {
    cluster: context.cluster,
    manager: profileManager(config.spec.profile),
    rejections: rejectionsOf("write", config, runtime),
    isLockBypassed: isLockBypassed(config.spec),
    onWritten: (written, live) => context.wrote(targetInformer(written.targetRef), live),
  });
  runtime.metrics.countItemWrite(config.spec.profile, item, result.kind);
  const tookOver = result.kind === "confirmed" ? result.tookOver : undefined;
  return {
    decision: recordItemResult(observed, item, result),
    ...(tookOver && { tookOver: { [item.name]: tookOver } }),
  };
}

function rejectionsOf(
  request: "dry run" | "write",
  { metadata: { name, generation = 0 } }: VirtPlatformConfig,
  { rejections, clock }: AdvisorRuntime,
): RejectionCounter {
  return rejections.counterFor(request, { name, generation }, clock.monotonic());
}
