import { expect, test } from "vitest";
import type { AssetStatus } from "../evaluate/asset-status.ts";
import {
  active,
  blind,
  decided,
  evaluated,
  failed,
  inSync,
  notes,
  passing,
  throttled,
} from "../testing/outcome-fixtures.ts";
import { createObjectCounts } from "./object-counts.ts";

const off: AssetStatus = { kind: "excluded", reason: "SwitchedOff", details: "" };

test("reports the applied assets once all objects are reconciled, then on change", () => {
  const counts = createObjectCounts();
  counts.begin();
  counts.add("a", inSync, evaluated(active, active, off));
  expect(counts.events(2)).toEqual([]);
  counts.add("b", failed, evaluated(active));
  expect(notes(counts.events(2))).toEqual(["Reconciliation succeeded: 2/3 assets applied, 1 failed"]);
  expect(counts.events(2)).toEqual([]);
  counts.begin();
  counts.add("a", inSync, evaluated(active, active));
  expect(counts.events(2)).toEqual([]);
  counts.add("b", inSync, evaluated(active));
  expect(notes(counts.events(2))).toEqual(["Reconciliation succeeded: 3/3 assets applied"]);
});

test.each([throttled, blind, passing])("an unsettled reconcile changes no number", (unsettled) => {
  const counts = createObjectCounts();
  counts.add("a", inSync, evaluated(active));
  expect(counts.events(1)).toHaveLength(1);
  counts.add("a", unsettled, evaluated(active));
  expect(counts.events(1)).toEqual([]);
  counts.begin();
  counts.add("a", unsettled, evaluated(active));
  expect(counts.events(1)).toEqual([]);
});

test("an object on hold is not applied, and the cause is reported", () => {
  const counts = createObjectCounts();
  counts.add("a", inSync, evaluated(active));
  counts.add("b", inSync, evaluated(active));
  expect(counts.events(2)).toHaveLength(1);
  counts.add("b", decided({ kind: "held", reason: "InvalidPatch", message: "bad" }), evaluated(active));
  expect(notes(counts.events(2))).toEqual(["Reconciliation succeeded: 1/2 assets applied, 1 on hold: invalid patch"]);
  counts.add("b", inSync, evaluated(active));
  expect(notes(counts.events(2))).toEqual(["Reconciliation succeeded: 2/2 assets applied"]);
});

test("another HyperConverged exposes the numbers again", () => {
  const counts = createObjectCounts();
  counts.add("a", inSync, evaluated(active));
  expect(counts.events(1)).toHaveLength(1);
  counts.forget();
  counts.add("a", inSync, evaluated(active));
  expect(counts.events(1)).toHaveLength(1);
});

test("an idle operator has applied nothing and reports nothing", () => {
  const counts = createObjectCounts();
  counts.add("a", { kind: "excluded" }, evaluated(off));
  expect(counts.events(1)).toEqual([]);
});
