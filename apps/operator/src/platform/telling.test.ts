import type { KubeObject } from "@virt/api";
import type { Bucket } from "@virt/engine";
import type { Apply, Evaluated, ManagedObject, Standing, Verdict } from "@virt/platform";
import { expect, test } from "vitest";
import type { Kept } from "./acting.ts";
import { type Come, discoveredNews, type MissingCrds } from "./discovered.ts";
import { undecided } from "./findings.ts";
import { happened } from "./happened.ts";
import { createTally } from "./tally.ts";
import { standingNews } from "./tell.ts";
import { throttledNews } from "./throttled.ts";
import { unreadInputs } from "./unread.ts";

const thing: KubeObject = { apiVersion: "v1", kind: "T", metadata: { name: "t" } };
const active: Standing = { kind: "active", object: thing, leftOut: [] };
const excluded = (reason: string, details = ""): Standing => ({ kind: "excluded", reason, details }) as Standing;
const off = excluded("SwitchedOff");
const waits: Standing = { kind: "held", reason: "InputUnavailable", details: "nodes: HTTP 503: later" };
const evaluated = (...standings: readonly Standing[]): Evaluated => ({
  standings: new Map(standings.map((standing, at) => [`asset-${at}`, standing])),
  wanted: { kind: "excluded" },
});
const verdict = (one: Verdict): Kept => ({ kind: "verdict", verdict: one });
const inSync = verdict({ kind: "in-sync", contested: [], intent: thing });
const throttled = verdict({ kind: "wait", why: "throttled", inMs: 6_000 });
const blind = verdict({ kind: "held", reason: "InputUnavailable", message: "not listed yet" });
const failed: Kept = { kind: "failed", message: "no", isPermanent: true };
const passing: Kept = { kind: "failed", message: "later", isPermanent: false };
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

test.each([throttled, blind, passing])("a look that settles nothing changes no number", (unsettled) => {
  const tally = createTally();
  tally.add("a", inSync, evaluated(active));
  expect(tally.news(1)).toHaveLength(1);
  tally.add("a", unsettled, evaluated(active));
  expect(tally.news(1)).toEqual([]);
  tally.begin();
  tally.add("a", unsettled, evaluated(active));
  expect(tally.news(1)).toEqual([]);
});

test("of another HyperConverged the numbers are told again", () => {
  const tally = createTally();
  tally.add("a", inSync, evaluated(active));
  expect(tally.news(1)).toHaveLength(1);
  tally.forget();
  tally.add("a", inSync, evaluated(active));
  expect(tally.news(1)).toHaveLength(1);
});

test("an idle operator has applied nothing and says nothing", () => {
  const tally = createTally();
  tally.add("a", { kind: "excluded" }, evaluated(off));
  expect(tally.news(1)).toEqual([]);
});

test("an input that cannot be read is told after a minute, and a short outage never", () => {
  const since = new Map<string, number>();
  const look = (now: number, ...standings: readonly Standing[]) =>
    unreadInputs("a", { kept: inSync, evaluated: evaluated(...standings) }, { since, now });
  expect(look(1_000, active, waits)).toEqual({ told: [], dueAt: 61_000 });
  expect(look(60_999, waits)).toEqual({ told: [], dueAt: 61_000 });
  expect(notes(look(61_000, waits).told)).toEqual([
    "Input nodes unavailable, assets keep their last state: HTTP 503: later",
  ]);
  expect(look(62_000, active)).toEqual({ told: [] });
  expect(look(63_000, waits)).toEqual({ told: [], dueAt: 123_000 });
});

test("an object that cannot be seen itself is told like an input", () => {
  const since = new Map<string, number>();
  const look = (now: number, kept: Kept) =>
    unreadInputs("T//t", { kept, evaluated: evaluated(active) }, { since, now });
  expect(look(0, blind)).toEqual({ told: [], dueAt: 60_000 });
  expect(notes(look(60_000, blind).told)).toEqual([
    "Input T//t unavailable, assets keep their last state: not listed yet",
  ]);
  expect(look(61_000, inSync)).toEqual({ told: [] });
});

test("that writes wait is told until the object may write as often as any other, and again after that", () => {
  const known = new Map<string, Bucket>();
  const look = (kept: Kept, now: number, fullAt: number) =>
    notes(throttledNews("T//t", kept, { throttled: known, bucket: { fullAt }, now }));
  const note = "Update throttled for T//t (limit: 10 updates per 1m0s)";
  expect(look(inSync, 0, 60_000)).toEqual([]); // many writes, and none had to wait
  expect(look(throttled, 0, 60_000)).toEqual([note]);
  expect(look(inSync, 6_000, 66_000)).toEqual([note]); // a token came back and is spent
  expect(look(throttled, 6_000, 66_000)).toEqual([note]);
  expect(look(inSync, 66_000, 72_000)).toEqual([]); // it was full when the next write came
  expect(look(inSync, 67_000, 78_000)).toEqual([]);
});

const cases: readonly { reason: string; before: MissingCrds; now: Partial<Come>; told: readonly string[] }[] = [
  {
    reason: "a CRD that came is told with those that waited for it",
    before: new Map([["x.example", ["a", "b", "c"]]]),
    now: {},
    told: ["CRD x.example discovered, a, b and c assets can now be reconciled"],
  },
  {
    reason: "whoever is left out for another reason by now is not named",
    before: new Map([["x.example", ["a", "b"]]]),
    now: { excluded: new Set(["b"]) },
    told: ["CRD x.example discovered, a assets can now be reconciled"],
  },
  {
    reason: "nothing is told while it is missing",
    before: new Map([["x.example", ["a"]]]),
    now: { crds: new Set(), excluded: new Set(["a"]) },
    told: [],
  },
  {
    reason: "that a feature is switched off, or the operator idles, is no discovery",
    before: new Map([["x.example", ["a"]]]),
    now: { excluded: new Set(["a"]) },
    told: [],
  },
  {
    reason: "an asset whose inputs cannot be read has not seen a CRD that is missing",
    before: new Map([["x.example", ["a"]]]),
    now: { crds: new Set() },
    told: [],
  },
  { reason: "what was there from the beginning is no discovery", before: new Map(), now: {}, told: [] },
];
test.each(cases)("$reason", ({ before, now, told }) => {
  expect(notes(discoveredNews(before, { crds: new Set(["x.example"]), excluded: new Set(), ...now }))).toEqual(told);
});

const object = { ref: { ...thing, name: "t" }, assets: [] } as unknown as ManagedObject;
const change = { path: ["f:spec", "f:a"] } as unknown as Apply["changes"][number];
const opponents = ['"kubectl" (Update)'];
const done = { patched: 0, released: [], isResumed: false };
const drift = { cause: "drift", changes: [change], opponents, contested: [], done } as unknown as Apply;
const by = { changes: [change], opponents };
const ending = { kind: "done" } as const;

const told: readonly { kept: Kept; standings?: readonly Standing[]; notes: readonly string[] }[] = [
  {
    kept: { kind: "applied", apply: drift, live: thing },
    notes: [
      'DriftDetected: Drift detected for T//t: /spec/a changed by "kubectl" (Update)',
      "DriftCorrected: Corrected drift for T//t",
    ],
  },
  {
    kept: { kind: "applied", apply: { ...drift, cause: "intent" }, live: thing },
    notes: ["AssetApplied: Applied asset asset-0: T//t"],
  },
  {
    kept: verdict({ kind: "held", reason: "InvalidPatch", message: "bad", ...by }),
    notes: [
      "InvalidPatch: Invalid JSON patch for T//t: bad",
      'DriftDetected: Drift detected for T//t: /spec/a changed by "kubectl" (Update)',
    ],
  },
  {
    kept: verdict({ kind: "held", reason: "InvalidIgnoreFields", message: "bad", changes: [change] }),
    notes: [
      "InvalidIgnoreFields: Invalid ignore-fields annotation for T//t: bad",
      "DriftDetected: Drift detected for T//t: /spec/a changed by unknown",
    ],
  },
  {
    kept: verdict({ kind: "unmanaged" }),
    notes: ["UnmanagedMode: Resource T//t is in unmanaged mode, skipping reconciliation"],
  },
  { kept: failed, notes: ["ApplyFailed: Failed to apply asset asset-0: no"] },
  { kept: passing, notes: [] },
  {
    kept: { kind: "excluded" },
    standings: [excluded("RenderError", "no such fact")],
    notes: ["RenderFailed: Failed to render asset asset-0: no such fact"],
  },
];
test.each(told)("people are told: $notes", ({ kept, standings = [active], notes: texts }) => {
  const pass = { kept, evaluated: evaluated(...standings), ending };
  const all = [...happened(object.ref, pass), ...standingNews(object, pass)];
  expect(all.map(({ reason, note }) => `${reason}: ${note}`)).toEqual(texts);
});

const due = ["Contested", "ApplyFailed", "DriftDetected"];
const invalid = ["InvalidPatch", "InvalidIgnoreFields", "InvalidMode"];
const all = [...due, ...invalid, "UnmanagedMode", "ThrashingDetected"];
const looks: readonly { reason: string; kept: Kept; standings?: readonly Standing[]; open: readonly string[] }[] = [
  { reason: "an object in sync has nothing open", kept: inSync, open: [] },
  { reason: "nor one that is unmanaged", kept: verdict({ kind: "unmanaged" }), open: [] },
  { reason: "a write that waits leaves open who contests it", kept: throttled, open: due },
  { reason: "so does one that somebody was faster than", kept: passing, open: due },
  {
    reason: "so does an override that has to be mended, but for what happened meanwhile",
    kept: verdict({ kind: "held", reason: "InvalidPatch", message: "bad" }),
    open: ["Contested", "ApplyFailed"],
  },
  { reason: "so does one that is refused", kept: failed, open: ["Contested"] },
  { reason: "one that nobody could look at leaves all open", kept: blind, open: all },
  {
    reason: "an asset that cannot be judged leaves open to whom it yields",
    kept: inSync,
    standings: [waits],
    open: ["AlreadyProvided", "GovernedByPlan", "PurposeConflict", "RenderFailed"],
  },
];
test.each(looks)("$reason", ({ kept, standings = [active], open }) => {
  expect(undecided(kept, evaluated(...standings))).toEqual(new Set(open));
});
