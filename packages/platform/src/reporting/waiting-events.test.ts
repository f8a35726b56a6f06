import type { Bucket } from "@virt/objects";
import { expect, test } from "vitest";
import { type AssetStatus, unreadStatus } from "../evaluate/asset-status.ts";
import { active, blind, evaluated, inSync, notes, throttled, waits } from "../testing/outcome-fixtures.ts";
import type { ReconcileOutcome } from "./reconcile-outcome.ts";
import { findThrottling, findUnreadInputs } from "./waiting-events.ts";

const thingRef = { apiVersion: "v1", kind: "T", name: "t" };

test("reports an unread input after a minute, not a short outage", () => {
  let since: number | undefined;
  const reconcile = (now: number, ...statuses: readonly AssetStatus[]) => {
    const found = findUnreadInputs(thingRef, { outcome: inSync, evaluated: evaluated(...statuses) }, { since, now });
    since = found.since;
    return found;
  };
  expect(reconcile(1_000, active, waits)).toEqual({ since: 1_000, events: [], dueAt: 61_000 });
  expect(reconcile(60_999, waits)).toEqual({ since: 1_000, events: [], dueAt: 61_000 });
  expect(notes(reconcile(61_000, waits).events)).toEqual([
    "Input nodes is unavailable; assets keep their last state: HTTP 503: later",
  ]);
  expect(reconcile(62_000, active)).toEqual({ since: undefined, events: [] });
  expect(reconcile(63_000, waits)).toEqual({ since: 63_000, events: [], dueAt: 123_000 });
});

test("quotes the name of an input completely", () => {
  const status = unreadStatus({ name: "schema of things: v1", why: "HTTP 503: later" });
  const reconciled = { outcome: inSync, evaluated: evaluated(status) };
  expect(notes(findUnreadInputs(thingRef, reconciled, { since: 0, now: 60_000 }).events)).toEqual([
    "Input schema of things: v1 is unavailable; assets keep their last state: HTTP 503: later",
  ]);
});

test("reports an unread object like an input", () => {
  const reconcile = (since: number | undefined, now: number, outcome: ReconcileOutcome) =>
    findUnreadInputs(thingRef, { outcome, evaluated: evaluated(active) }, { since, now });
  expect(reconcile(undefined, 0, blind)).toEqual({ since: 0, events: [], dueAt: 60_000 });
  expect(notes(reconcile(0, 60_000, blind).events)).toEqual([
    "Input T t is unavailable; assets keep their last state: not listed yet",
  ]);
  expect(reconcile(0, 61_000, inSync)).toEqual({ since: undefined, events: [] });
});

test("reports waiting writes until the object has its tokens again", () => {
  let known: Bucket | undefined;
  const reconcile = (outcome: ReconcileOutcome, now: number, fullAt: number) => {
    const found = findThrottling(thingRef, outcome, { throttled: known, bucket: { fullAt }, now });
    known = found.throttled;
    return notes(found.events);
  };
  const note = "Update throttled for T t (limit: 10 updates per 1m0s)";
  expect(reconcile(inSync, 0, 60_000)).toEqual([]); // many writes, but none of them was throttled
  expect(reconcile(throttled, 0, 60_000)).toEqual([note]);
  expect(reconcile(inSync, 6_000, 66_000)).toEqual([note]); // a new token was consumed at once
  expect(reconcile(throttled, 6_000, 66_000)).toEqual([note]);
  expect(reconcile(inSync, 66_000, 72_000)).toEqual([]); // the bucket was full before the next write
  expect(reconcile(inSync, 67_000, 78_000)).toEqual([]);
});
