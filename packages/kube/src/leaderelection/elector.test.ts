import { expect, test } from "vitest";
import {
  type ElectionState,
  heldLease,
  holderOf,
  type LeaseInput,
  type LeaseObject,
  newLease,
  releasedLease,
  stepElection,
} from "./elector.ts";

const me = { name: "lock", namespace: "home", identity: "me", durationSeconds: 15, retryMs: 2_000 };
const wallMs = Date.UTC(2030, 0, 1);
const version = (lease: LeaseObject, resourceVersion: string) => ({
  ...lease,
  metadata: { ...lease.metadata, resourceVersion },
});
const mine = version(newLease(me, wallMs), "1");
const theirs = version(newLease({ ...me, identity: "them" }, wallMs), "1");
const renewedByThem = version(theirs, "2");
const free = version(releasedLease(theirs, wallMs), "3");
const seen = (lease: LeaseObject, sinceMs = 0): ElectionState => ({ seen: { lease, sinceMs } });
const found = (lease: LeaseObject): LeaseInput => ({ kind: "found", lease });

const asked = (what: "read" | "renewal" | "claim", atMs = 0) => ({ what, atMs });

type Case = {
  readonly reason: string;
  readonly was?: ElectionState;
  readonly input: LeaseInput;
  readonly at?: number;
  readonly action: object;
  readonly fenceUpdate?: "renewed" | "lost";
};

const update = (holder: string) => ({ kind: "update", lease: { spec: { holderIdentity: holder } } });
const wait = (ms: number) => ({ kind: "wait", ms });
const failed = { kind: "failed", message: "no answer" } as const;

const cases: readonly Case[] = [
  { reason: "a candidate reads the lease first", input: { kind: "due" }, action: { kind: "read" } },
  {
    reason: "creates a missing lease",
    input: { kind: "absent" },
    action: { kind: "create" },
    fenceUpdate: "lost",
  },
  { reason: "takes a released lease at once", input: found(free), action: update("me"), fenceUpdate: "lost" },
  {
    reason: "waits for an unknown holder, even if its times are old",
    input: found(theirs),
    at: 1e9,
    action: wait(2_000),
    fenceUpdate: "lost",
  },
  {
    reason: "waits for a holder that renewed",
    was: seen(theirs),
    input: found(renewedByThem),
    at: 15_000,
    action: wait(2_000),
    fenceUpdate: "lost",
  },
  {
    reason: "reads a foreign lease again at its expiry",
    was: seen(theirs),
    input: found(theirs),
    at: 14_500,
    action: wait(500),
    fenceUpdate: "lost",
  },
  {
    reason: "takes a foreign lease that did not change for its duration",
    was: seen(theirs),
    input: found(theirs),
    at: 15_000,
    action: update("me"),
    fenceUpdate: "lost",
  },
  { reason: "the leader renews without reading", was: seen(mine), input: { kind: "due" }, action: update("me") },
  {
    reason: "an answered write counts as a renewal",
    was: { asked: asked("claim") },
    input: { kind: "written", lease: mine },
    action: wait(2_000),
    fenceUpdate: "renewed",
  },
  {
    reason: "the leader reads after a conflict, because its write may have succeeded",
    was: { ...seen(mine), asked: asked("renewal") },
    input: { kind: "conflict" },
    action: { kind: "read" },
  },
  {
    reason: "renews a lease of its own at once, even after an outage",
    was: seen(mine),
    input: found(version(mine, "2")),
    at: 1e6,
    action: update("me"),
  },
  {
    reason: "waits after losing the race for a free lease",
    was: { ...seen(free), asked: asked("claim") },
    input: { kind: "conflict" },
    action: wait(2_000),
  },
  {
    reason: "the leader retries without an answer",
    was: { ...seen(mine), asked: asked("renewal") },
    input: failed,
    action: wait(2_000),
  },
  {
    reason: "the leader retries at once after a long wait for an answer",
    was: { ...seen(mine), asked: asked("renewal") },
    input: failed,
    at: 5_000,
    action: wait(0),
  },
  {
    reason: "the leader re-creates a deleted lease at once",
    was: { ...seen(mine), asked: asked("renewal") },
    input: { kind: "absent" },
    action: { kind: "create" },
    fenceUpdate: "lost",
  },
  {
    reason: "others wait for the duration of a deleted lease",
    was: seen(theirs),
    input: { kind: "absent" },
    at: 14_000,
    action: wait(1_000),
    fenceUpdate: "lost",
  },
  {
    reason: "others create a deleted lease after its duration",
    was: seen(theirs),
    input: { kind: "absent" },
    at: 15_000,
    action: { kind: "create" },
    fenceUpdate: "lost",
  },
  {
    reason: "a leaving leader releases the lease",
    was: seen(mine),
    input: { kind: "leave" },
    action: update(""),
    fenceUpdate: "lost",
  },
  {
    reason: "a leaving follower ends",
    was: seen(theirs),
    input: { kind: "leave" },
    action: { kind: "end" },
    fenceUpdate: "lost",
  },
  {
    reason: "a leaving candidate without a lease ends",
    input: { kind: "leave" },
    action: { kind: "end" },
    fenceUpdate: "lost",
  },
  {
    reason: "a leaving candidate checks its pending claim",
    was: { ...seen(free), asked: asked("claim") },
    input: { kind: "leave" },
    action: { kind: "read" },
    fenceUpdate: "lost",
  },
  {
    reason: "a leaving candidate releases its own lease",
    was: { isLeaving: true, asked: asked("read") },
    input: found(mine),
    action: update(""),
  },
  {
    reason: "a leaving candidate does not change a foreign lease",
    was: { isLeaving: true, asked: asked("read") },
    input: found(theirs),
    action: { kind: "end" },
  },
  {
    reason: "retries a release after a conflict",
    was: { ...seen(mine), isLeaving: true, asked: asked("renewal") },
    input: { kind: "conflict" },
    action: { kind: "read" },
  },
  {
    reason: "retries a release only once",
    was: { ...seen(mine), isLeaving: true, asked: asked("claim") },
    input: { kind: "conflict" },
    action: { kind: "end" },
  },
  {
    reason: "does not retry a release without an answer",
    was: { ...seen(mine), isLeaving: true, asked: asked("renewal") },
    input: failed,
    action: { kind: "end" },
  },
];

test.each(cases)("$reason", ({ was = {}, input, at = 0, action, fenceUpdate }) => {
  const move = stepElection(me, was, input, { monotonicMs: at, wallMs });
  expect(move.action).toMatchObject(action);
  expect(move.fenceUpdate).toBe(fenceUpdate);
});

test("a lease with another duration expires after its own duration", () => {
  const long = version(heldLease(theirs, { ...me, identity: "them", durationSeconds: 60 }, wallMs), "9");
  const at = (monotonicMs: number) => stepElection(me, seen(long), found(long), { monotonicMs, wallMs }).action.kind;
  expect([at(59_999), at(60_000)]).toEqual(["wait", "update"]);
});

const candidate = { name: "lock", namespace: "home", identity: "me", durationSeconds: 15 };
const then = Date.UTC(2030, 0, 1, 0, 0, 0, 7);
const now = Date.UTC(2030, 0, 1, 0, 0, 10);

test("times have six digits, as the API server requires", () => {
  expect(newLease(candidate, then).spec).toEqual({
    holderIdentity: "me",
    leaseDurationSeconds: 15,
    acquireTime: "2030-01-01T00:00:00.007000Z",
    renewTime: "2030-01-01T00:00:00.007000Z",
    leaseTransitions: 0,
  });
});

test("a renewal changes only the renew time", () => {
  const lease = newLease(candidate, then);
  expect(heldLease(lease, candidate, now).spec).toEqual({ ...lease.spec, renewTime: "2030-01-01T00:00:10.000000Z" });
});

test("a transition is counted and keeps the rest of the object", () => {
  const metadata = { name: "lock", namespace: "home", uid: "1-2-3", resourceVersion: "7", labels: { team: "blue" } };
  const foreign = { ...newLease({ ...candidate, identity: "other" }, then), metadata };
  const taken = heldLease(foreign, candidate, now);
  expect(taken.metadata).toEqual(metadata);
  expect(taken.spec).toMatchObject({ holderIdentity: "me", leaseTransitions: 1 });
  expect(taken.spec?.acquireTime).toBe(taken.spec?.renewTime);
});

test("a released lease has no holder and expires after a second", () => {
  const released = releasedLease(heldLease(newLease({ ...candidate, identity: "other" }, then), candidate, now), now);
  expect(holderOf(released)).toBe("");
  expect(released.spec).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: 1 });
});
