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
    reason: "names a missing namespace",
    written: { kind: "missing", what: "namespace" },
    words: "namespace here does not exist",
  },
  {
    reason: "names a kind that is not served",
    written: { kind: "missing", what: "kind" },
    words: "kind Thing of example.org/v1 is not served",
  },
  {
    reason: "names foreign fields with their managers",
    written: { kind: "conflict", conflicts: bare },
    words: "other clients own fields: spec.a (kubectl-edit), spec.b (argo)",
  },
  {
    reason: "a concurrent change is not an error",
    written: { kind: "stale" },
    words: "the object was modified concurrently",
  },
  {
    reason: "a concurrent deletion is not an error",
    written: { kind: "absent" },
    words: "the object was deleted concurrently",
  },
  {
    reason: "quotes the server's rejection",
    written: { kind: "rejected", reason: "Invalid", message: "spec.a: bad" },
    words: "spec.a: bad",
  },
  {
    reason: "quotes a failed request",
    written: { kind: "unavailable", message: "the API server returned 503" },
    words: "the API server returned 503",
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
  { reason: "an object in sync has no open results", outcome: inSync, open: [] },
  { reason: "an unmanaged object has no open results", outcome: decided({ kind: "unmanaged" }), open: [] },
  { reason: "a waiting write keeps its contested fields open", outcome: throttled, open: due },
  { reason: "a concurrent change keeps its contested fields open", outcome: passing, open: due },
  {
    reason: "an invalid override keeps all but its own results open",
    outcome: decided({ kind: "held", reason: "InvalidPatch", message: "bad" }),
    open: ["Contested", "ApplyFailed"],
  },
  { reason: "a rejection keeps its results open", outcome: failed, open: ["Contested"] },
  { reason: "an unread object keeps all results open", outcome: blind, open: all },
  {
    reason: "an undecided asset keeps its governor open",
    outcome: inSync,
    statuses: [waits],
    open: [
      "AlreadyProvided",
      "AutopilotTookOver",
      "GovernedByPlan",
      "ManagedByAutopilot",
      "PurposeConflict",
      "ReleasedByPlan",
      "RenderFailed",
      "ValueLimited",
    ],
  },
];
test.each(reconciles)("$reason", ({ outcome, statuses = [active], open }) => {
  expect(undecidedReasons(outcome, evaluated(...statuses))).toEqual(new Set(open));
});
