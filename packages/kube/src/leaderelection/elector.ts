// Decides the next step of a candidate for a coordination.k8s.io/v1 Lease, and builds the Lease. Does no I/O.

import { type ClockReading, microTime } from "../clock.ts";

/** The result of a request. After `failed`, a write may still take effect. */
export type LeaseAnswer =
  | { readonly kind: "found"; readonly lease: LeaseObject }
  | { readonly kind: "absent" }
  | { readonly kind: "written"; readonly lease: LeaseObject }
  | { readonly kind: "conflict" } // another process updated or created it first
  | { readonly kind: "failed"; readonly message: string };

/** An input. `due`: the wait is over. `leave`: release the lease and stop. */
export type LeaseInput = LeaseAnswer | { readonly kind: "due" } | { readonly kind: "leave" };

export type LeaseAction =
  | { readonly kind: "read" }
  | { readonly kind: "create" | "update"; readonly lease: LeaseObject }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "end" };

/** Times are the candidate's own monotonic milliseconds. */
export type ElectionState = {
  readonly seen?: { readonly lease: LeaseObject; readonly sinceMs: number };
  /** A renewal starts from the known lease, a claim from the lease that was just read. */
  readonly asked?: { readonly what: "read" | "renewal" | "claim"; readonly atMs: number };
  readonly isLeaving?: true;
};

export type ElectionStep = {
  readonly state: ElectionState;
  readonly action: LeaseAction;
  /**
   * The update for the fence. `renewed`: the renewal counts from when it was sent. `lost`: this process does not hold
   * the lease.
   */
  readonly fenceUpdate?: "renewed" | "lost";
};

export type LeaderElector = Candidate & { readonly retryMs: number };

export function stepElection(
  elector: LeaderElector,
  state: ElectionState,
  input: LeaseInput,
  now: ClockReading,
): ElectionStep {
  if (input.kind === "leave" || state.isLeaving === true) return leave(elector, state, input, now);
  switch (input.kind) {
    case "due":
      return state.seen !== undefined && isMine(elector, state.seen.lease)
        ? update(state, "renewal", heldLease(state.seen.lease, elector, now.wallMs), now)
        : read(state, now);
    case "found":
      return consider(elector, observeLease(state, input.lease, now), now);
    case "absent":
      return replace(elector, state, now);
    case "written":
      return { ...pause(elector, observeLease(state, input.lease, now), now), fenceUpdate: "renewed" };
    case "conflict":
      return state.asked?.what === "renewal" ? read(state, now) : pause(elector, state, now);
    case "failed":
      return pause(elector, state, now);
  }
}

type ObservedLease = NonNullable<ElectionState["seen"]>;

/**
 * Claims a lease that is ours, free, or has not changed for its whole duration. Never compares timestamps from other
 * machines.
 */
function consider(
  elector: LeaderElector,
  was: ElectionState & { readonly seen: ObservedLease },
  now: ClockReading,
): ElectionStep {
  const { lease } = was.seen;
  const leftMs = leftOf(elector, was.seen, now);
  const move =
    leftMs > 0 ? pause(elector, was, now, leftMs) : update(was, "claim", heldLease(lease, elector, now.wallMs), now);
  return isMine(elector, lease) ? move : { ...move, fenceUpdate: "lost" };
}

/** Re-creates a deleted lease after its duration, because the holder may not know of the deletion. */
function replace(elector: LeaderElector, state: ElectionState, now: ClockReading): ElectionStep {
  const leftMs = state.seen === undefined ? 0 : leftOf(elector, state.seen, now);
  if (leftMs > 0) return { ...pause(elector, state, now, leftMs), fenceUpdate: "lost" };
  const action = { kind: "create", lease: newLease(elector, now.wallMs) } as const;
  return { state: asking(state, "claim", now), action, fenceUpdate: "lost" };
}

/** Also releases the lease if a claim is pending, because it may take effect. Retries once after a conflict. */
function leave(elector: LeaderElector, state: ElectionState, input: LeaseInput, now: ClockReading): ElectionStep {
  const leaving = { ...state, isLeaving: true } as const;
  const release = (lease: LeaseObject, what: "renewal" | "claim") =>
    isMine(elector, lease) ? update(leaving, what, releasedLease(lease, now.wallMs), now) : end(leaving);
  switch (input.kind) {
    case "leave":
      if (state.asked?.what === "claim") return { ...read(leaving, now), fenceUpdate: "lost" };
      return {
        ...(state.seen === undefined ? end(leaving) : release(state.seen.lease, "renewal")),
        fenceUpdate: "lost",
      };
    case "found":
      return release(input.lease, "claim");
    case "conflict":
      return state.asked?.what === "renewal" ? read(leaving, now) : end(leaving);
    case "due":
    case "absent":
    case "written":
    case "failed":
      return end(leaving);
  }
}

function observeLease(
  state: ElectionState,
  lease: LeaseObject,
  { monotonicMs }: ClockReading,
): ElectionState & { readonly seen: ObservedLease } {
  const isSame = state.seen?.lease.metadata.resourceVersion === lease.metadata.resourceVersion;
  return { ...state, seen: isSame && state.seen !== undefined ? state.seen : { lease, sinceMs: monotonicMs } };
}

function leftOf(elector: LeaderElector, { lease, sinceMs }: ObservedLease, { monotonicMs }: ClockReading): number {
  if (holderOf(lease) === "" || isMine(elector, lease)) return 0;
  const durationSeconds = lease.spec?.leaseDurationSeconds ?? elector.durationSeconds;
  return sinceMs + durationSeconds * 1000 - monotonicMs;
}

function isMine({ identity }: LeaderElector, lease: LeaseObject): boolean {
  return holderOf(lease) === identity;
}

function read(state: ElectionState, now: ClockReading): ElectionStep {
  return { state: asking(state, "read", now), action: { kind: "read" } };
}

function update(state: ElectionState, what: "renewal" | "claim", lease: LeaseObject, now: ClockReading): ElectionStep {
  return { state: asking(state, what, now), action: { kind: "update", lease } };
}

function asking(
  state: ElectionState,
  what: "read" | "renewal" | "claim",
  { monotonicMs }: ClockReading,
): ElectionState {
  return { ...state, asked: { what, atMs: monotonicMs } };
}

/** Counts the retry period from the last request, so that a request that hung longer is retried immediately. */
function pause(
  elector: LeaderElector,
  { seen, asked }: ElectionState,
  { monotonicMs }: ClockReading,
  atMostMs = elector.retryMs,
): ElectionStep {
  const sinceAsked = monotonicMs - (asked?.atMs ?? monotonicMs);
  const ms = Math.max(0, Math.min(elector.retryMs - sinceAsked, atMostMs));
  return { state: seen === undefined ? {} : { seen }, action: { kind: "wait", ms } };
}

function end(state: ElectionState): ElectionStep {
  return { state, action: { kind: "end" } };
}

type LeaseSpec = {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
};

/**
 * Updates must send all fields back, above all the uid. Without the uid, an update re-creates a deleted lease despite
 * its resourceVersion (observed: 201). With it, the server returns 409.
 */
export type LeaseObject = {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly spec?: LeaseSpec;
};

/** `identity` must be unique per process, because a restarted process is a different candidate. */
export type Candidate = {
  readonly name: string;
  readonly namespace: string;
  readonly identity: string;
  readonly durationSeconds: number;
};

/** Returns an empty string if the lease was released. */
export function holderOf(lease: LeaseObject): string {
  return lease.spec?.holderIdentity ?? "";
}

export function newLease(me: Candidate, wallMs: number): LeaseObject {
  const metadata = { name: me.name, namespace: me.namespace };
  const spec = { ...held(me, wallMs), acquireTime: microTime(wallMs), leaseTransitions: 0 };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}

/** Counts a transition if it claims a free lease. */
export function heldLease(lease: LeaseObject, me: Candidate, wallMs: number): LeaseObject {
  const transitions = lease.spec?.leaseTransitions ?? 0;
  const taken =
    holderOf(lease) === me.identity ? {} : { acquireTime: microTime(wallMs), leaseTransitions: transitions + 1 };
  return { ...lease, spec: { ...lease.spec, ...held(me, wallMs), ...taken } };
}

/** Sets a duration of 1 s, which frees the lease for clients that ignore its holder. */
export function releasedLease(lease: LeaseObject, wallMs: number): LeaseObject {
  const now = microTime(wallMs);
  const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
  return { ...lease, spec };
}

function held({ identity, durationSeconds }: Candidate, wallMs: number): LeaseSpec {
  return { holderIdentity: identity, leaseDurationSeconds: durationSeconds, renewTime: microTime(wallMs) };
}
