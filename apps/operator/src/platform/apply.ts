// Writes a managed object: dry run, transfer of released fields, and apply. Pauses the object after an edit war.

import { fieldManagers, type KubeObject } from "@virt/api";
import { isDryRunRefused, type ReconcileContext, type ReconcileResult, scrubText } from "@virt/kube";
import { type Bucket, type ExpectedVersion, equalJson, type Outcome, takeToken, type WriteResult } from "@virt/objects";
import {
  type ApplyDecision,
  decideObject,
  explainFailure,
  isWriteDue,
  type ManagedObject,
  type Mutation,
  type ObjectDecision,
  type ObjectMemory,
  type ObservedObject,
  objectAnnotations,
  type ReconcileOutcome,
  readOverrides,
  readState,
  releasedManager,
  releaseOwnershipObject,
  rememberAnswer,
  transferObject,
  writeRate,
} from "@virt/platform";
import { managedInformer } from "@virt/reads";
import { isUngoverned } from "./governance.ts";
import { mergePatch, removeMembers } from "./merge-patch.ts";
import { type ObjectRecord, type PlatformRuntime, rejectedRetryMs, resultAfter } from "./runtime.ts";

const manager = fieldManagers.platform;

export type ObjectAction = {
  readonly object: ManagedObject;
  readonly observed: ObservedObject;
  readonly live: KubeObject | undefined;
  readonly memory: ObjectMemory;
  readonly record: ObjectRecord;
  readonly runtime: PlatformRuntime;
  readonly context: ReconcileContext;
};

export type ActionResult = { readonly outcome: ReconcileOutcome; readonly result: ReconcileResult };

type DueApply = Extract<ObjectDecision, { kind: "apply" }>;

export async function applyObject(decision: DueApply, action: ObjectAction): Promise<ActionResult> {
  const { apply } = decision;
  const { live, record, runtime, context } = action;
  const confirmed = await confirmByDryRun(decision, action);
  if (confirmed.kind === "over") return confirmed.result;
  if (apply.cause !== "drift" && !(await isUngoverned(action.object, "apply", action)))
    return failedAction({ kind: "stale" }, action);
  const transferred = await transferOwnership(apply, action);
  if (transferred !== undefined && (transferred.kind !== "done" || transferred.live === undefined))
    return failedAction(transferred, action);
  const owned = transferred?.live ?? confirmed.newest;
  const removed = await removeMembers(apply.removals, owned, action);
  if (removed !== undefined && (removed.kind !== "done" || removed.live === undefined))
    return failedAction(removed, action);
  const newest = removed?.live ?? owned;
  const expect: ExpectedVersion = newest === undefined ? "absent" : versionOf(newest);
  const outcome = await context.cluster.apply(apply.object, { manager, force: live !== undefined, expect });
  if (outcome.kind !== "done" || outcome.live === undefined) return handleRejection(outcome, apply, action);
  context.wrote(managedInformer(action.object.ref, runtime.settings.hcoNamespace), outcome.live);
  const bucket = await releaseOwnership(outcome.live, decision.bucket, action);
  const { mutation: known } = action.memory;
  const written = { ...afterWrite(apply, action), bucket, ...(known && { mutation: known }) };
  const memory = rememberAnswer(written, { intent: apply.intent, answer: outcome.live, seen: action.observed });
  record.memory = memory;
  const { mutation } = memory;
  return {
    outcome: { kind: "applied", apply, before: live, live: outcome.live, mutated: mutation?.changes ?? [] },
    result: mutation === undefined ? { kind: "done" } : requeueForMutation(mutation, action),
  };
}

/**
 * The result of the dry run. `due`: apply to `newest`, which may be newer than the object that was decided on. `over`:
 * there is nothing to apply.
 */
type ConfirmedApply =
  | { readonly kind: "due"; readonly newest: KubeObject | undefined }
  | { readonly kind: "over"; readonly result: ActionResult };

async function confirmByDryRun({ apply, skipsDryRun }: DueApply, action: ObjectAction): Promise<ConfirmedApply> {
  const { live } = action;
  // If fields must be handed over or removed first, a dry run without these steps may be rejected, so this skips it.
  const isPrepared = apply.handOver.length > 0 || apply.removals.length > 0;
  if (skipsDryRun || live === undefined || isPrepared) return { kind: "due", newest: live };
  const write = { manager, force: true, expect: { uid: live.metadata.uid ?? "" } };
  const outcome = await action.context.cluster.dryRunApply(apply.object, write);
  if (isDryRunRefused(outcome)) return { kind: "due", newest: live };
  if (outcome.kind !== "done" || outcome.live === undefined)
    return { kind: "over", result: await handleRejection(outcome, apply, action) };
  // A forced apply over a newer object would take back what the autopilot has just written.
  const isNewer = outcome.live.metadata.resourceVersion !== live.metadata.resourceVersion;
  if (action.observed.isAutopilotActive === true && isNewer)
    return { kind: "over", result: failedAction({ kind: "stale" }, action) };
  if (!hasSameOverrides(live, outcome.live)) return { kind: "over", result: failedAction({ kind: "stale" }, action) };
  if (isWriteDue(live, outcome.live)) return { kind: "due", newest: outcome.live };
  return { kind: "over", result: settleAction(apply, answerFor(live, outcome.live), action) };
}

/** Returns the result of an apply that would change nothing: the object is in sync, or admission always mutates it. */
function settleAction(
  { contested, intent }: ApplyDecision,
  answer: KubeObject,
  { runtime, memory, record, observed }: ObjectAction,
): ActionResult {
  const known = rememberAnswer(memory, { intent, answer, seen: observed });
  record.memory = known;
  const { mutation } = known;
  if (mutation === undefined)
    return { outcome: { kind: "decided", decision: { kind: "in-sync", contested, intent } }, result: { kind: "done" } };
  const { changes, askAgainAt } = mutation;
  const decision = { kind: "mutated", changes, contested, inMs: askAgainAt - observed.monotonicMs } as const;
  return { outcome: { kind: "decided", decision }, result: requeueForMutation(mutation, { runtime, observed }) };
}

function requeueForMutation(
  { askAgainAt }: Mutation,
  { runtime, observed }: Pick<ObjectAction, "runtime" | "observed">,
): ReconcileResult {
  return { kind: "requeueAt", atMs: runtime.clock.wall() + askAgainAt - observed.monotonicMs };
}

function hasSameOverrides(observed: KubeObject, now: KubeObject): boolean {
  return equalJson(readOverrides(observed), readOverrides(now));
}

/** Sets the resource version that was compared, because the response to a dry run has none of its own. */
function answerFor({ metadata: { resourceVersion } }: KubeObject, dryRun: KubeObject): KubeObject {
  return { ...dryRun, metadata: { ...dryRun.metadata, ...(resourceVersion && { resourceVersion }) } };
}

/** Returns the updated memory after a write. Re-creating a deleted object counts as a correction. */
function afterWrite(
  { cause, object }: ApplyDecision,
  { memory }: ObjectAction,
): Pick<ObjectMemory, "wasThere" | "recreated"> {
  const { recreated = [] } = memory;
  return { wasThere: true, recreated: cause === "create" ? readState(object).recreated : recreated };
}

/** Pins the write to the observed version, so that a forced apply cannot overwrite annotations that the operator has not seen. */
function versionOf({ metadata: { uid = "", resourceVersion } }: KubeObject): Exclude<ExpectedVersion, string> {
  return { uid, ...(resourceVersion && { resourceVersion }) };
}

/**
 * Transfers released fields without another owner to a placeholder manager, so that they keep their values. Returns
 * undefined if there are none.
 */
async function transferOwnership(
  { handOver: paths }: ApplyDecision,
  { live, context }: ObjectAction,
): Promise<Outcome | undefined> {
  if (live === undefined || paths.length === 0) return undefined;
  const write = { manager: releasedManager, force: false, expect: versionOf(live) };
  return context.cluster.apply(transferObject(live, paths), write);
}

/**
 * Gives up the placeholder's ownership of released fields that have gained another owner. If this fails, the next write
 * retries it.
 */
async function releaseOwnership(
  live: KubeObject,
  before: Bucket,
  { object, runtime, context }: ObjectAction,
): Promise<Bucket> {
  const rest = releaseOwnershipObject(live);
  const { granted, bucket } = takeToken(before, writeRate, runtime.clock.monotonic());
  if (rest === undefined || !granted) return before;
  const write = { manager: releasedManager, force: false, expect: versionOf(live) };
  const outcome = await context.cluster.apply(rest, write);
  if (outcome.kind !== "done" || outcome.live === undefined) return before;
  context.wrote(managedInformer(object.ref, runtime.settings.hcoNamespace), outcome.live);
  return bucket;
}

/** Checks whether the user's patch caused the rejection. If so, puts the object on hold, as for any invalid patch. */
async function handleRejection(
  outcome: Outcome,
  { intent, unpatched }: ApplyDecision,
  action: ObjectAction,
): Promise<ActionResult> {
  const { observed, memory, record } = action;
  if (outcome.kind !== "rejected" || unpatched === undefined) return failedAction(outcome, action);
  const without = await dryRunUnpatched(unpatched, action);
  if (without.kind !== "done") return failedAction(outcome, action);
  const askAgainAt = observed.monotonicMs + rejectedRetryMs;
  // The server's message is redacted, because it may quote secret values.
  const refusal = { intent, shapeOf: observed.shapeOf, message: scrubText(outcome.message), askAgainAt };
  const knowing = { ...memory, refused: refusal };
  record.memory = knowing;
  const decision = decideObject({ ...observed, memory: knowing });
  return {
    outcome: { kind: "decided", decision },
    result: { kind: "requeueAt", atMs: observed.now + rejectedRetryMs },
  };
}

/**
 * Runs the intent without the patch as a dry run. If fields must be removed first, this tests only the removal, because
 * a dry run cannot combine two writes.
 */
async function dryRunUnpatched(
  { intent, removals }: NonNullable<ApplyDecision["unpatched"]>,
  action: ObjectAction,
): Promise<WriteResult> {
  const { live, context } = action;
  const removed = await removeMembers(removals, live, { ...action, isDryRun: true });
  const write = { manager, force: true, expect: { uid: live?.metadata.uid ?? "" } };
  return removed ?? context.cluster.dryRunApply(intent, write);
}

/** Writes the annotation that pauses an edit war. Corrections stop even if this write fails. */
export async function pauseObject(
  decision: Extract<ObjectDecision, { kind: "pause" }>,
  action: ObjectAction,
): Promise<ActionResult> {
  const { live, memory, record, runtime, context, object } = action;
  const annotations = { [objectAnnotations.paused]: "true", [objectAnnotations.state]: decision.state };
  const held = { ...memory, unwrittenPause: decision.paused };
  record.memory = held;
  const unwritten = (why: WriteResult) => failedAction(why, action, "failed to write the pause annotation: ");
  const written = await mergePatch(live, { metadata: { annotations } }, { object, runtime, context });
  if (written.kind !== "done" || written.live === undefined) return unwritten(written);
  context.wrote(managedInformer(object.ref, runtime.settings.hcoNamespace), written.live);
  const { unwrittenPause: _written, ...rest } = { ...held, bucket: decision.bucket };
  record.memory = { ...rest, ...(rest.answer && { answer: pausedAnswer(rest.answer, decision.state) }) };
  return { outcome: { kind: "paused-now", decision }, result: { kind: "done" } };
}

/** Also ends the edit war in memory, in case the object's state annotation is missing. */
function pausedAnswer({ metadata, ...answer }: KubeObject, state: string): KubeObject {
  const annotations = { ...metadata.annotations, [objectAnnotations.state]: state };
  return { ...answer, metadata: { ...metadata, annotations } };
}

/** Returns a failed write. It consumes no rate limit token and does not count towards an edit war. */
function failedAction(written: WriteResult, { runtime, object }: ObjectAction, prefix = ""): ActionResult {
  const message = `${prefix}${explainFailure(written, object.ref)}`;
  const outcome = { kind: "failed", message, isPermanent: written.kind === "rejected" } as const;
  return { outcome, result: resultAfter(written, runtime.clock) };
}
