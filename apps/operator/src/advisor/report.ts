// Reports a decision: writes the status if it changed, records events and returns the time of the next reconcile.

import {
  approverOf,
  type Decision,
  type EventContext,
  eventsForStatusChange,
  isPlanNamed,
  isSilent,
  movedSinceApplied,
  type Observed,
  pendingStatus,
  recordedApprover,
  restoreStatus,
  rolloutProblem,
  withRetryingCondition,
} from "@virt/advisor";
import { configKind, type KubeObject, type Status, type VirtPlatformConfig } from "@virt/api";
import { configInformer } from "@virt/cluster";
import { type ReconcileContext, type ReconcileResult, type Resource, replaceObject, writeResultOf } from "@virt/kube";
import { equalJson, type Json } from "@virt/objects";
import type { RecognizeResult } from "./own-statuses.ts";
import type { AdvisorRuntime } from "./runtime.ts";

/** The status shows an error only if it lasts longer than this. */
const lastingMs = 60_000;
const unsyncedMs = 5_000;
const idleMs = 600_000;
/** The delay after a conflict, until the informer shows the other client's write. */
const conflictMs = 100;

export type DecidedConfig = Pick<EventContext, "tookOver"> & {
  /** The config that the decision is based on, with its timestamps adjusted after a clock change. */
  readonly config: VirtPlatformConfig;
  readonly observed: Observed;
  readonly decision: Decision;
  /** Call it once the stored timestamps match the clock of this reconcile. */
  readonly settleClock: () => void;
};

export async function reportDecision(
  stored: VirtPlatformConfig,
  { config, observed, decision, tookOver, settleClock }: DecidedConfig,
  runtime: AdvisorRuntime,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const written = await storeStatus(stored, decision.status, runtime, context);
  context.explain?.(describeDecision(config, decision, written.kind));
  if (written.kind === "unavailable") return reportTransientError(config, written, runtime, context);
  runtime.transientErrors.delete(config.metadata.name);
  const nowMs = runtime.clock.wall();
  if (written.kind === "edited") return { kind: "requeueAt", atMs: nowMs + conflictMs };
  settleClock();
  if (written.kind === "unchanged" && isProven(observed)) runtime.ownStatuses.remember(stored);
  if (written.kind === "written") {
    runtime.doctor.noteWritten(config.metadata.name, decision.status.rollout);
    const approver = approverOf(config);
    const approvedBy = recordedApprover(config, decision.status.planHash, approver);
    const problem = rolloutProblem(observed);
    recordEvents(config, decision.status, runtime, {
      moved: movedSinceApplied(observed.inputs).map((input) => input.moved),
      ...(approver !== undefined && { approver }),
      isPlanNamed: isPlanNamed(config.spec.approvedPlan, decision.status.planHash ?? ""),
      ...(approvedBy !== undefined && { approvedBy }),
      ...(problem !== undefined && { rolloutProblem: problem }),
      ...(tookOver && { tookOver }),
    });
    runtime.metrics.observeStatusChange(config, decision.status);
  }
  return requeueFor(decision, nowMs, written.kind === "written");
}

function describeDecision(
  { status }: VirtPlatformConfig,
  { status: next, requeue }: Decision,
  written: string,
): string {
  const phases = status?.phase === next.phase ? next.phase : `${status?.phase ?? "new"} → ${next.phase}`;
  return `phase ${phases}, status ${written}, next reconcile ${requeue.when}`;
}

/** Reports whether the stored status can be trusted. A pending plan that another process wrote must be redrafted first. */
function isProven({ stored, draft, statusOrigin }: Observed): boolean {
  return statusOrigin === "own" || stored.phase !== "ReviewRequired" || draft !== undefined;
}

function recordEvents(
  config: VirtPlatformConfig,
  after: Status,
  { recordEvent, impacts }: AdvisorRuntime,
  eventContext: EventContext,
): void {
  const { name } = config.metadata;
  const context = { ...eventContext, isImpactWarned: impacts.isWarned(name) };
  for (const event of eventsForStatusChange(config.status ?? {}, after, context)) {
    recordEvent(config, event);
    if (event.reason === "ImpactWorsened") impacts.noteWarning(name);
  }
}

function requeueFor({ requeue, status }: Decision, nowMs: number, isWritten: boolean): ReconcileResult {
  switch (requeue.when) {
    case "at-once":
      return { kind: "requeueAt", atMs: isWritten ? nowMs : nowMs + conflictMs };
    case "at":
      return { kind: "requeueAt", atMs: requeue.atMs };
    case "on-change":
      if (status.phase === "Ignored" || status.phase === "Failed") return { kind: "done" };
      return { kind: "requeueAt", atMs: nowMs + idleMs };
    case "retry":
      return retryAfter(requeue);
  }
}

type TransientError = { readonly message: string; readonly retryInMs?: number };

function retryAfter({ retryInMs }: Pick<TransientError, "retryInMs">): ReconcileResult {
  return { kind: "retry", ...(retryInMs !== undefined && { retryInMs }) };
}

/** Requeues as a fallback. Normally, the informer triggers a reconcile once it has synced. */
export function requeueUnsynced({ clock }: AdvisorRuntime): ReconcileResult {
  return { kind: "requeueAt", atMs: clock.wall() + unsyncedMs };
}

/** Waits for informers to sync, and reports an error if this takes too long. A config without a status waits only once. */
export async function reportWaiting(
  config: VirtPlatformConfig,
  error: TransientError,
  runtime: AdvisorRuntime,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const since = runtime.transientErrors.get(config.metadata.name);
  const nowMs = runtime.clock.monotonic();
  const patienceMs = isSilent(config) ? unsyncedMs : lastingMs;
  if (since !== undefined && nowMs - since >= patienceMs) return reportTransientError(config, error, runtime, context);
  runtime.transientErrors.set(config.metadata.name, since ?? nowMs);
  context.explain?.(`waiting: ${error.message}`);
  return requeueUnsynced(runtime);
}

/** Reports an error that prevented a decision. It appears in the status if it lasts, or immediately if there is no status yet. */
export async function reportTransientError(
  config: VirtPlatformConfig,
  error: TransientError,
  runtime: AdvisorRuntime,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { transientErrors, clock, log, ownStatuses } = runtime;
  const name = config.metadata.name;
  const nowMs = clock.monotonic();
  const since = transientErrors.get(name) ?? nowMs;
  transientErrors.set(name, since);
  runtime.metrics.countTransientError();
  log.debug("reconcile failed, retrying", { config: name, why: error.message });
  context.explain?.(`retrying: ${error.message}`);
  const at = { now: clock.wall(), generation: config.metadata.generation ?? 0 };
  const lasting = nowMs - since > lastingMs ? withRetryingCondition(config.status ?? {}, error.message, at) : undefined;
  const status = isSilent(config) ? pendingStatus(error.message, at) : lasting;
  if (status !== undefined) {
    const isOwn = ownStatuses.knows(name);
    await storeStatus(config, status, runtime, context);
    if (!isOwn) ownStatuses.forget(name); // the plan comes from another process
  }
  return retryAfter(error);
}

/** Restores the advisor's own status. Nothing is decided based on a status that another client wrote. */
export async function restoreOwnStatus(
  stored: VirtPlatformConfig,
  { own, change }: Extract<RecognizeResult, { kind: "foreign" }>,
  runtime: AdvisorRuntime,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const now = runtime.clock.wall();
  context.explain?.("restoring its own status, which another client changed");
  const status = restoreStatus(stored, { own, change }, { now, operator: runtime.operator });
  const written = await storeStatus(stored, status, runtime, context);
  if (written.kind === "unavailable") return retryAfter(written);
  if (written.kind !== "written") return { kind: "requeueAt", atMs: now + conflictMs };
  recordEvents({ ...stored, status: own }, status, runtime, { moved: [], foreignChange: change });
  return { kind: "requeueAt", atMs: now };
}

async function storeStatus(
  stored: VirtPlatformConfig,
  status: Status,
  { ownStatuses }: AdvisorRuntime,
  context: ReconcileContext,
): Promise<StatusWriteResult> {
  const restore = ownStatuses.suspend(stored.metadata.name);
  const result = await writeStatus(stored, status, context);
  if (result.kind === "written") {
    ownStatuses.rememberWritten(result.live);
    context.wrote(configInformer, result.live);
  } else if (result.kind === "unavailable") ownStatuses.rememberUnanswered(stored, status);
  else restore();
  return result;
}

type StatusWriteResult =
  | { readonly kind: "unchanged" }
  | { readonly kind: "written"; readonly live: KubeObject }
  | { readonly kind: "edited" } // a concurrent write makes the decision void
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

/** Writes with the resource version that was read, so that an outdated decision fails with a conflict. */
async function writeStatus(
  config: VirtPlatformConfig,
  status: Status,
  { sender, signal }: ReconcileContext,
): Promise<StatusWriteResult> {
  if (equalJson(status, config.status ?? {})) return { kind: "unchanged" };
  const { managedFields: _owners, ...metadata } = config.metadata;
  const body = { ...config, metadata, status } as Json;
  const request = replaceObject(configResource, { name: config.metadata.name, subresource: "status" }, body);
  const written = writeResultOf(await sender.write(request, { signal }));
  switch (written.kind) {
    case "done":
      return written.live === undefined ? { kind: "edited" } : { kind: "written", live: written.live };
    case "stale":
    case "absent":
    case "conflict":
      return { kind: "edited" };
    case "missing":
      return { kind: "unavailable", message: "VirtPlatformConfig is no longer served: its CRD is missing" };
    case "rejected":
      return { kind: "unavailable", message: `status update rejected: ${written.message}` };
    case "unavailable":
      return written;
  }
}

export const configResource: Resource = {
  group: configKind.group,
  version: configKind.version,
  plural: configKind.plural,
  isNamespaced: false,
};
