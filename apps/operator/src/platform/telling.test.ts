import type { Evaluated, Standing } from "@virt/platform";
import { expect, test } from "vitest";
import type { Kept } from "./acting.ts";
import { discoveredNews, type MissingCrds } from "./discovered.ts";
import { createTally } from "./tally.ts";
import { unreadInputs } from "./unread.ts";

const active: Standing = {
  kind: "active",
  object: { apiVersion: "v1", kind: "T", metadata: { name: "t" } },
  leftOut: [],
};
const off: Standing = { kind: "excluded", reason: "SwitchedOff", details: "" };
const waits: Standing = { kind: "held", reason: "InputUnavailable", details: "nodes: HTTP 503: later" };
const evaluated = (...standings: readonly Standing[]): Evaluated => ({
  standings: new Map(standings.map((standing, at) => [`asset-${at}`, standing])),
  wanted: { kind: "excluded" },
});
const inSync: Kept = {
  kind: "verdict",
  verdict: { kind: "in-sync", contested: [], intent: { apiVersion: "v1", kind: "T", metadata: { name: "t" } } },
};
const failed: Kept = { kind: "failed", message: "no", isPermanent: true };
const notes = (all: readonly { readonly note: string }[]) => all.map(({ note }) => note);

test("how many assets are applied is told once all objects were looked at, and again only when it changes", () => {
  const tally = createTally();
  tally.begin();
  tally.add("a", inSync, evaluated(active, active, off));
  expect(tally.news(2)).toEqual([]);
  tally.add("b", failed, evaluated(active));
  expect(notes(tally.news(2))).toEqual(["Reconciliation succeeded: 2/3 assets applied"]);
  expect(tally.news(2)).toEqual([]);
  tally.begin();
  tally.add("a", inSync, evaluated(active, active));
  expect(tally.news(2)).toEqual([]);
  tally.add("b", inSync, evaluated(active));
  expect(notes(tally.news(2))).toEqual(["Reconciliation succeeded: 3/3 assets applied"]);
});

test("an idle operator has applied nothing and says nothing", () => {
  const tally = createTally();
  tally.add("a", { kind: "excluded" }, evaluated(off));
  expect(tally.news(1)).toEqual([]);
});

test("an input that cannot be read is told after a minute, and a short outage never", () => {
  const since = new Map<string, number>();
  const look = (now: number, ...standings: readonly Standing[]) =>
    unreadInputs("a", evaluated(...standings), { since, now });
  expect(look(1_000, active, waits)).toEqual({ told: [], dueAt: 61_000 });
  expect(look(60_999, waits)).toEqual({ told: [], dueAt: 61_000 });
  expect(notes(look(61_000, waits).told)).toEqual([
    "Input nodes unavailable, assets keep their last state: HTTP 503: later",
  ]);
  expect(look(62_000, active)).toEqual({ told: [] });
  expect(look(63_000, waits)).toEqual({ told: [], dueAt: 123_000 });
});

const cases: readonly { reason: string; before: MissingCrds; now: MissingCrds; told: readonly string[] }[] = [
  {
    reason: "a CRD that came is told with those that waited for it",
    before: new Map([["x.example", ["a", "b", "c"]]]),
    now: new Map(),
    told: ["CRD x.example discovered, a, b and c assets can now be reconciled"],
  },
  {
    reason: "whoever waits for another one by now is not named",
    before: new Map([["x.example", ["a", "b"]]]),
    now: new Map([["y.example", ["b"]]]),
    told: ["CRD x.example discovered, a assets can now be reconciled"],
  },
  {
    reason: "nothing is told while it is missing",
    before: new Map([["x.example", ["a"]]]),
    now: new Map([["x.example", ["a"]]]),
    told: [],
  },
  { reason: "what was there from the beginning is no discovery", before: new Map(), now: new Map(), told: [] },
];
test.each(cases)("$reason", ({ before, now, told }) => {
  expect(notes(discoveredNews(before, now))).toEqual(told);
});
