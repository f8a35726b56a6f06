// Runs a candidate for one lease and controls its write fence.

import { type Json, sleep, type WriteResult } from "@virt/objects";
import type { ApiAnswer, ApiWriter, FailedRequest } from "../client/api-client.ts";
import { writeResultOf } from "../client/outcome.ts";
import { createObject, getObject, type Resource, replaceObject, type WriteRequest } from "../client/request.ts";
import type { Clock } from "../clock.ts";
import {
  type ElectionState,
  holderOf,
  type LeaderElector,
  type LeaseAction,
  type LeaseAnswer,
  type LeaseInput,
  type LeaseObject,
  stepElection,
} from "./elector.ts";
import type { WriteFence } from "./write-fence.ts";

/**
 * An `update` sends the resourceVersion of the lease. 409 is `conflict`, and 404 on `read` is `absent`. Every other
 * error is `failed`, because a write may have been applied. Must not use the shared connection pool: a renewal must
 * not wait.
 */
export type LeaseApi = {
  readonly read: (signal: AbortSignal) => Promise<LeaseAnswer>;
  readonly create: (lease: LeaseObject, signal: AbortSignal) => Promise<LeaseAnswer>;
  readonly update: (lease: LeaseObject, signal: AbortSignal) => Promise<LeaseAnswer>;
};

/** Called on changes only. Use the write fence to find out whether this process is the leader. */
export type LeaderElectionObserver = {
  /** Empty if the lease has no holder. */
  readonly heldBy: (identity: string) => void;
  readonly failing: (message: string) => void;
  readonly recovered: () => void;
};

export type LeaderElectionOptions = {
  readonly api: LeaseApi;
  readonly clock: Clock;
  readonly fence: WriteFence;
  readonly elector: LeaderElector;
  readonly observer: LeaderElectionObserver;
};

/** The defaults of Kubernetes components: 15 s, 10 s and 2 s. */
export const defaultLeaseDurations = { durationSeconds: 15, renewDeadlineMs: 10_000, retryMs: 2_000 } as const;

/**
 * Runs until the signal is aborted, then closes the fence and releases the lease, so end all reconciles first.
 * Survives an outage: if the lease is still ours, the next renewal reopens the fence.
 */
export async function runLeaderElection(parts: LeaderElectionOptions, signal: AbortSignal): Promise<void> {
  const { clock, fence, elector, observer } = parts;
  const note = noteChanges(observer);
  let state: ElectionState = {};
  let input: LeaseInput = { kind: "due" };
  let sentAt = fence.mark();
  try {
    checkTimes(parts);
    for (;;) {
      if (signal.aborted && state.isLeaving !== true) input = { kind: "leave" };
      note(input);
      const now = { monotonicMs: clock.monotonic(), wallMs: clock.wall() };
      const { fenceUpdate, action, state: next } = stepElection(elector, state, input, now);
      if (fenceUpdate === "lost") fence.close();
      if (fenceUpdate === "renewed") fence.renewed(sentAt);
      if (action.kind === "end") return;
      state = next;
      sentAt = fence.mark();
      input = await runAction(parts, action, state.isLeaving === true ? never : signal); // oxlint-disable-line no-await-in-loop -- one step after the other
    }
  } finally {
    fence[Symbol.dispose]();
  }
}

// A signal that is never aborted, because the aborted one would cancel the release.
const never = new AbortController().signal;

type LeaseCall = Exclude<LeaseAction, { readonly kind: "end" }>;

async function runAction(
  { api, clock, fence }: LeaderElectionOptions,
  action: LeaseCall,
  signal: AbortSignal,
): Promise<LeaseInput> {
  if (action.kind === "wait") {
    await sleep(clock, action.ms, signal);
    return { kind: "due" };
  }
  const limit = new AbortController();
  const abortCall = () => limit.abort(signal.reason);
  // Cancels the request after half the deadline, so that there is time for a second attempt before the fence closes.
  const cancel = clock.schedule(fence.deadlineMs / 2, () => limit.abort(new Error("no response in time")));
  signal.addEventListener("abort", abortCall, { once: true });
  try {
    return action.kind === "read" ? await api.read(limit.signal) : await api[action.kind](action.lease, limit.signal);
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    return { kind: "failed", message: "no response in time" };
  } finally {
    cancel();
    signal.removeEventListener("abort", abortCall);
  }
}

function noteChanges(observer: LeaderElectionObserver): (input: LeaseInput) => void {
  let holder: string | undefined;
  let isFailing = false;
  return (input) => {
    if (input.kind === "due" || input.kind === "leave") return;
    if (input.kind === "failed" && !isFailing) observer.failing(input.message);
    if (input.kind !== "failed" && isFailing) observer.recovered();
    isFailing = input.kind === "failed";
    const found = "lease" in input ? holderOf(input.lease) : holder;
    if (found !== undefined && found !== holder) observer.heldBy(found);
    holder = found;
  };
}

function checkTimes({ fence: { deadlineMs }, elector: { durationSeconds, retryMs } }: LeaderElectionOptions): void {
  if (durationSeconds * 1000 > deadlineMs && deadlineMs > retryMs && Number.isInteger(durationSeconds)) return;
  const times = `duration ${durationSeconds} s, renew deadline ${deadlineMs} ms, retry ${retryMs} ms`;
  throw new Error(
    `the lease duration must be whole seconds and exceed the renew deadline, which must exceed the retry period: ${times}`,
  );
}

const leases: Resource = { group: "coordination.k8s.io", version: "v1", plural: "leases", isNamespaced: true };

export function leaseClient(client: ApiWriter, place: { readonly namespace: string; readonly name: string }): LeaseApi {
  const { namespace } = place;
  const write = (request: WriteRequest, signal: AbortSignal) => client.write(request, { signal, pool: "lease" });
  return {
    read: async (signal) => answerOf(await client.send(getObject(leases, place), { signal, pool: "lease" }), "found"),
    create: async (lease, signal) =>
      answerOf(await write(createObject(leases, { namespace }, json(lease)), signal), "written"),
    update: async (lease, signal) =>
      answerOf(await write(replaceObject(leases, place, json(lease)), signal), "written"),
  };
}

function json(lease: LeaseObject): Json {
  return lease;
}

function answerOf(answer: ApiAnswer | FailedRequest, success: "found" | "written"): LeaseAnswer {
  const writing = writeResultOf(answer);
  switch (writing.kind) {
    case "done":
      return { kind: success, lease: writing.live as unknown as LeaseObject };
    case "absent":
    case "missing":
      return success === "found" && writing.kind === "absent"
        ? { kind: "absent" }
        : { kind: "failed", message: whatIsMissing(writing) };
    case "stale":
    case "conflict":
      return { kind: "conflict" };
    case "rejected":
    case "unavailable":
      return { kind: "failed", message: writing.message };
  }
}

function whatIsMissing(writing: WriteResult & { kind: "absent" | "missing" }): string {
  return writing.kind === "missing" && writing.what === "namespace"
    ? "the lease's namespace does not exist"
    : "the lease is gone";
}
