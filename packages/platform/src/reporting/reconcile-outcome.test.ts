import type { WriteResult } from "@virt/objects";
import { expect, test } from "vitest";
import { type AssetStatus } from "../evaluate/asset-status.ts";
import {
  active,
  blind,
  decided,
  evaluated,
  failed,
  inSync,
  passing,
  throttled,
  waits,
} from "../testing/outcome-fixtures.ts";
import { explainFailure, type ReconcileOutcome, undecidedReasons } from "./reconcile-outcome.ts";

const ref = { apiVersion: "example.org/v1", kind: "Thing", namespace: "here", name: "thing" };
const bare = [
  { field: "spec.a", manager: "kubectl-edit" },
  { field: "spec.b", manager: "argo" },
];

const cases: readonly { reason: string; written: WriteResult; words: string }[] = [
  {
    reason: "a namespace that is not there is named",
    written: { kind: "missing", what: "namespace" },
    words: "namespace here does not exist",
  },
  {
    reason: "a kind that is not served is named",
    written: { kind: "missing", what: "kind" },
    words: "kind Thing of example.org/v1 is not served",
  },
  {
    reason: "fields of others are named with their managers",
    written: { kind: "conflict", conflicts: bare },
    words: "other clients own fields: spec.a (kubectl-edit), spec.b (argo)",
  },
  {
    reason: "somebody who was faster is no error of anybody",
    written: { kind: "stale" },
    words: "the object was modified concurrently",
  },
  {
    reason: "nor is somebody who deleted it",
    written: { kind: "absent" },
    words: "the object was deleted concurrently",
  },
  {
    reason: "a refusal is reported in the server's words",
    written: { kind: "rejected", reason: "Invalid", message: "spec.a: bad" },
    words: "spec.a: bad",
  },
  {
    reason: "a server that does not answer has its own words",
    written: { kind: "unavailable", message: "the API server answered 503" },
    words: "the API server answered 503",
  },
];

test.each(cases)("$reason", ({ written, words }) => expect(explainFailure(written, ref)).toBe(words));

const due = ["Contested", "ApplyFailed", "DriftDetected"];
const invalid = ["InvalidPatch", "InvalidIgnoreFields", "InvalidMode", "InvalidConfiguration", "UnknownAnnotation"];
const all = [...due, ...invalid, "UnmanagedMode", "ThrashingDetected"];
const reconciles: readonly {
  reason: string;
  outcome: ReconcileOutcome;
  statuses?: readonly AssetStatus[];
  open: readonly string[];
}[] = [
  { reason: "an object in sync has nothing open", outcome: inSync, open: [] },
  { reason: "nor one that is unmanaged", outcome: decided({ kind: "unmanaged" }), open: [] },
  { reason: "a write that waits leaves open who contests it", outcome: throttled, open: due },
  { reason: "so does one that somebody was faster than", outcome: passing, open: due },
  {
    reason: "so does an override that has to be mended, but for what happened meanwhile",
    outcome: decided({ kind: "held", reason: "InvalidPatch", message: "bad" }),
    open: ["Contested", "ApplyFailed"],
  },
  { reason: "so does one that is refused", outcome: failed, open: ["Contested"] },
  { reason: "one that nobody could read leaves all open", outcome: blind, open: all },
  {
    reason: "an asset that cannot be decided leaves open to whom it yields",
    outcome: inSync,
    statuses: [waits],
    open: ["AlreadyProvided", "GovernedByPlan", "PurposeConflict", "ReleasedByPlan", "RenderFailed", "ValueLimited"],
  },
];
test.each(reconciles)("$reason", ({ outcome, statuses = [active], open }) => {
  expect(undecidedReasons(outcome, evaluated(...statuses))).toEqual(new Set(open));
});
