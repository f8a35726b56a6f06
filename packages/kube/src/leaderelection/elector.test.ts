import { expect, test } from "vitest";
import { type ElectionState, type LeaseInput, stepElection } from "./elector.ts";
import { heldLease, type LeaseObject, newLease, releasedLease } from "./lease.ts";

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
  { reason: "a newcomer reads the lease first", input: { kind: "due" }, action: { kind: "read" } },
  {
    reason: "a lease that is not there is created",
    input: { kind: "absent" },
    action: { kind: "create" },
    fenceUpdate: "lost",
  },
  { reason: "a released lease is taken at once", input: found(free), action: update("me"), fenceUpdate: "lost" },
  {
    reason: "a foreign lease seen for the first time is left alone, however old its times are",
    input: found(theirs),
    at: 1e9,
    action: wait(2_000),
    fenceUpdate: "lost",
  },
  {
    reason: "a foreign lease that changed lives on",
    was: seen(theirs),
    input: found(renewedByThem),
    at: 15_000,
    action: wait(2_000),
    fenceUpdate: "lost",
  },
  {
    reason: "a foreign lease is read again just when it would have expired",
    was: seen(theirs),
    input: found(theirs),
    at: 14_500,
    action: wait(500),
    fenceUpdate: "lost",
  },
  {
    reason: "a foreign lease without a change for its duration is dead",
    was: seen(theirs),
    input: found(theirs),
    at: 15_000,
    action: update("me"),
    fenceUpdate: "lost",
  },
  { reason: "the leader renews without reading", was: seen(mine), input: { kind: "due" }, action: update("me") },
  {
    reason: "a write that is answered counts",
    was: { asked: asked("claim") },
    input: { kind: "written", lease: mine },
    action: wait(2_000),
    fenceUpdate: "renewed",
  },
  {
    reason: "after a conflict the leader reads at once: its own earlier write may have arrived",
    was: { ...seen(mine), asked: asked("renewal") },
    input: { kind: "conflict" },
    action: { kind: "read" },
  },
  {
    reason: "a lease in our own name is renewed at once, also after an outage",
    was: seen(mine),
    input: found(version(mine, "2")),
    at: 1e6,
    action: update("me"),
  },
  {
    reason: "who loses the race for a free lease waits",
    was: { ...seen(free), asked: asked("claim") },
    input: { kind: "conflict" },
    action: wait(2_000),
  },
  {
    reason: "no answer says nothing: the leader tries again",
    was: { ...seen(mine), asked: asked("renewal") },
    input: failed,
    action: wait(2_000),
  },
  {
    reason: "after an answer that did not come for longer than the retry time, it tries again at once",
    was: { ...seen(mine), asked: asked("renewal") },
    input: failed,
    at: 5_000,
    action: wait(0),
  },
  {
    reason: "a deleted lease is created again by its leader at once",
    was: { ...seen(mine), asked: asked("renewal") },
    input: { kind: "absent" },
    action: { kind: "create" },
    fenceUpdate: "lost",
  },
  {
    reason: "others let a deleted lease run out, because its holder does not know",
    was: seen(theirs),
    input: { kind: "absent" },
    at: 14_000,
    action: wait(1_000),
    fenceUpdate: "lost",
  },
  {
    reason: "and then create it",
    was: seen(theirs),
    input: { kind: "absent" },
    at: 15_000,
    action: { kind: "create" },
    fenceUpdate: "lost",
  },
  {
    reason: "the leader releases when it leaves",
    was: seen(mine),
    input: { kind: "leave" },
    action: update(""),
    fenceUpdate: "lost",
  },
  {
    reason: "who holds nothing just leaves",
    was: seen(theirs),
    input: { kind: "leave" },
    action: { kind: "end" },
    fenceUpdate: "lost",
  },
  {
    reason: "who never saw the lease just leaves",
    input: { kind: "leave" },
    action: { kind: "end" },
    fenceUpdate: "lost",
  },
  {
    reason: "who leaves with a claim on its way reads whether it arrived",
    was: { ...seen(free), asked: asked("claim") },
    input: { kind: "leave" },
    action: { kind: "read" },
    fenceUpdate: "lost",
  },
  {
    reason: "who leaves releases what is found in its name",
    was: { isLeaving: true, asked: asked("read") },
    input: found(mine),
    action: update(""),
  },
  {
    reason: "who leaves does not touch what is found in another's",
    was: { isLeaving: true, asked: asked("read") },
    input: found(theirs),
    action: { kind: "end" },
  },
  {
    reason: "a release that meets a conflict is tried once more",
    was: { ...seen(mine), isLeaving: true, asked: asked("renewal") },
    input: { kind: "conflict" },
    action: { kind: "read" },
  },
  {
    reason: "but only once",
    was: { ...seen(mine), isLeaving: true, asked: asked("claim") },
    input: { kind: "conflict" },
    action: { kind: "end" },
  },
  {
    reason: "a release without an answer holds nobody up",
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

test("a lease of another duration lives as long as it says itself", () => {
  const long = version(heldLease(theirs, { ...me, identity: "them", durationSeconds: 60 }, wallMs), "9");
  const at = (monotonicMs: number) => stepElection(me, seen(long), found(long), { monotonicMs, wallMs }).action.kind;
  expect([at(59_999), at(60_000)]).toEqual(["wait", "update"]);
});
