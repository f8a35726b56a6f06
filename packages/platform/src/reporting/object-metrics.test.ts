import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import type { ObjectDecision } from "../baseline/decision.ts";
import { objectAnnotations } from "../hco-annotations.ts";
import { type ObjectMetrics, objectMetricsOf } from "./object-metrics.ts";
import type { ReconcileOutcome } from "./reconcile-outcome.ts";

const thing = (annotations: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "T",
  metadata: { name: "t", annotations },
});
const said = (key: keyof typeof objectAnnotations, text: string) => thing({ [objectAnnotations[key]]: text });
const decided = (one: ObjectDecision): ReconcileOutcome => ({ kind: "decided", decision: one });
const held = (reason: string): ReconcileOutcome => decided({ kind: "held", reason, message: "" });
const failure = (isPermanent: boolean): ReconcileOutcome => ({ kind: "failed", message: "", isPermanent });

const good: ObjectMetrics = {
  compliance: 1,
  paused: undefined,
  customizations: [],
  invalid: [],
  contested: 2,
  held: undefined,
};
const bad: ObjectMetrics = { ...good, compliance: 0 };
const nothing: ObjectMetrics = { ...good, compliance: undefined, contested: 0 };

type Case = {
  readonly reason: string;
  readonly outcome: ReconcileOutcome;
  readonly live?: KubeObject;
  readonly last?: ObjectMetrics;
  readonly isPassing?: boolean;
  readonly metrics: ObjectMetrics | undefined;
};
const wait = decided({ kind: "wait", why: "fight", inMs: 1 });

const cases: readonly Case[] = [
  {
    reason: "an object that is not managed has no series",
    outcome: { kind: "excluded" },
    last: good,
    metrics: undefined,
  },
  { reason: "a waiting write is not a failure", outcome: wait, last: good, metrics: good },
  { reason: "a waiting write does not end a failure", outcome: wait, last: bad, metrics: bad },
  {
    reason: "a transient failure changes nothing",
    outcome: failure(false),
    last: good,
    isPassing: true,
    metrics: good,
  },
  { reason: "a lasting failure is shown", outcome: failure(false), last: good, metrics: bad },
  { reason: "a permanent failure is shown at once", outcome: failure(true), last: good, metrics: bad },
  { reason: "an object stays in sync with a lost input", outcome: held("InputUnavailable"), last: good, metrics: good },
  {
    reason: "a write on hold is shown",
    outcome: held("InputChanged"),
    last: good,
    metrics: { ...good, held: "InputChanged" },
  },
  { reason: "an object on hold since the start is unknown", outcome: held("InputUnavailable"), metrics: nothing },
  {
    reason: "an object with a broken patch was in sync and has no patch",
    outcome: held("InvalidPatch"),
    live: said("patch", "{"),
    last: { ...good, customizations: ["patch"] },
    metrics: { ...good, invalid: ["patch"] },
  },
  {
    reason: "broken pointers keep an effective patch",
    outcome: held("InvalidIgnoreFields"),
    live: thing({ [objectAnnotations.ignoreFields]: "spec", [objectAnnotations.patch]: "[]" }),
    last: good,
    metrics: { ...good, customizations: ["patch"], invalid: ["ignore"] },
  },
  {
    reason: "an unknown mode is invalid, and the object is managed",
    outcome: decided({ kind: "in-sync", contested: [], intent: thing() }),
    live: said("mode", "sometimes"),
    metrics: { ...good, invalid: ["mode"], contested: 0 },
  },
  {
    reason: "an unmanaged object has no result",
    outcome: decided({ kind: "unmanaged" }),
    live: said("mode", "unmanaged"),
    last: good,
    metrics: { ...nothing, customizations: ["unmanaged"] },
  },
  {
    reason: "an ended pause is over while the write waits",
    outcome: wait,
    last: { ...nothing, paused: "edit-war" },
    metrics: nothing,
  },
  {
    reason: "fields left out of a write are contested",
    outcome: { kind: "applied", apply: { contested: [{}] } as never, before: thing(), live: thing(), mutated: [] },
    metrics: { ...good, contested: 1 },
  },
];

test.each(cases)("$reason", ({ outcome, live = thing(), last, isPassing = false, metrics }) => {
  expect(objectMetricsOf(outcome, { live, last, isPassing })).toEqual(metrics);
});
