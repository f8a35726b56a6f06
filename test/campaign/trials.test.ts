import type { TracedRequest } from "@virt/testkit";
import { expect, test } from "vitest";
import { mayFindNoRequest, trialsOf } from "./trials.ts";

function call(verb: TracedRequest["verb"], name: string, isEffective = false): TracedRequest {
  const place = { group: "", version: "v1", resource: "configmaps", namespace: "default", name, subresource: "" };
  const manner = { isDryRun: false, fieldManager: "", userAgent: "" };
  return { method: "", path: "", query: {}, verb, ...place, ...manner, ordinal: 1, isEffective, startedMs: 0 };
}

const namesOf = (...traces: readonly (readonly TracedRequest[])[]) => trialsOf(traces).map(({ name }) => name);

test("counts requests per object, independent of the order of other requests", () => {
  const one = [call("get", "a"), call("get", "b"), call("get", "a")];
  const other = [call("get", "b"), call("get", "a"), call("get", "a")];
  const struck = namesOf(one, other).filter((name) => name.startsWith("503"));
  expect(struck).toEqual([
    "503 at request 1: get configmaps default/a",
    "503 at request 2: get configmaps default/a",
    "503 at request 1: get configmaps default/b",
  ]);
});

test("creates no trial for requests that only some runs send", () => {
  const names = namesOf([call("get", "a"), call("get", "a"), call("get", "b")], [call("get", "a")]);
  expect(names.filter((name) => name.startsWith("reset"))).toEqual(["reset at request 1: get configmaps default/a"]);
});

test("kills the operator before a write, after its commit and after its answer", () => {
  const kills = trialsOf([[call("apply", "a", true)]]).filter(({ kind }) => kind === "kill");
  expect(kills.map(({ plans }) => plans.map(({ fault }) => fault.kind))).toEqual([
    ["crash-before"],
    ["crash-after-commit"],
    ["crash-after-answer"],
  ]);
});

test("a read fault also affects the retry", () => {
  const twice = trialsOf([[call("get", "a")]]).filter(({ kind }) => kind === "twice");
  expect(twice.map(({ plans }) => plans.map(({ trigger }) => trigger))).toEqual([
    [expect.objectContaining({ number: 1 }), expect.objectContaining({ number: 2 })],
  ]);
});

test("only a trial of a repeated watch may match no request", () => {
  const trials = trialsOf([[call("watch", ""), call("watch", ""), call("get", "a"), call("get", "a")]]);
  expect([...new Set(trials.filter(mayFindNoRequest).map(({ name }) => name.replace(/^.* at /u, "")))]).toEqual([
    "request 2: watch configmaps default",
  ]);
});
