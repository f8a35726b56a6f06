import type { Json } from "@virt/objects";
import { expect, test } from "vitest";
import type { ApiAnswer, FailedRequest } from "./api-client.ts";
import { isDryRunRefused, readResultOf, writeResultOf } from "./outcome.ts";

function answered(status: number, body?: Json, retryInMs?: number): ApiAnswer {
  const text = body === undefined ? "404 page not found\n" : JSON.stringify(body);
  return { kind: "answered", status, body, text, bytes: text.length, ...(retryInMs !== undefined && { retryInMs }) };
}

const status = (fields: { readonly [key: string]: Json }) => ({ kind: "Status", ...fields });
const failed: FailedRequest = { kind: "failed", failure: { reason: "reset", message: "socket hang up" } };
const cause = {
  reason: "FieldManagerConflict",
  field: ".spec.mode",
  message: 'conflict with "kubectl-edit" using v1 at 2026-01-01T00:00:00Z',
};

const cases = [
  {
    reason: "a written object is done",
    answer: answered(201, { kind: "Pod" }),
    outcome: { kind: "done", live: { kind: "Pod" } },
  },
  {
    reason: "a Status is done without an object",
    answer: answered(200, status({ status: "Success" })),
    outcome: { kind: "done" },
  },
  {
    reason: "a conflict has field and manager",
    answer: answered(409, status({ details: { causes: [cause] } })),
    outcome: { kind: "conflict", conflicts: [{ field: "spec.mode", manager: "kubectl-edit" }] },
  },
  {
    reason: "a 409 without causes is stale",
    answer: answered(409, status({ reason: "Conflict", details: { name: "a" } })),
    outcome: { kind: "stale" },
  },
  {
    reason: "a 409 of a creation is stale",
    answer: answered(409, status({ reason: "AlreadyExists", details: {} })),
    outcome: { kind: "stale" },
  },
  {
    reason: "a 422 for the uid is stale",
    answer: answered(422, status({ details: { causes: [{ field: "metadata.uid" }] } })),
    outcome: { kind: "stale" },
  },
  {
    reason: "any other 422 is rejected",
    answer: answered(422, status({ reason: "Invalid", message: "spec.x: bad" })),
    outcome: { kind: "rejected", reason: "Invalid", message: "spec.x: bad" },
  },
  {
    reason: "a 403 of a terminating CRD is unavailable",
    answer: answered(403, status({ message: "create not allowed while custom resource definition is terminating" })),
    outcome: {
      kind: "unavailable",
      message: "the API server returned 403: create not allowed while custom resource definition is terminating",
    },
  },
  {
    reason: "a 403 is rejected",
    answer: answered(403, status({ reason: "Forbidden", message: "no" })),
    outcome: { kind: "rejected", reason: "Forbidden", message: "no" },
  },
  {
    reason: "a 400 of a webhook with side effects rejects dry runs",
    answer: answered(
      400,
      status({ reason: "BadRequest", message: 'admission webhook "a.b.c" does not support dry run' }),
    ),
    outcome: { kind: "rejected", reason: "NoDryRun" },
  },
  {
    reason: "a 400 of a webhook that denies dry runs rejects dry runs",
    answer: answered(400, status({ message: 'admission webhook "a.b.c" denied the request: no dry-run here' })),
    outcome: { kind: "rejected", reason: "NoDryRun" },
  },
  {
    reason: "a 400 of an aggregated API server rejects dry runs",
    answer: answered(400, status({ reason: "BadRequest", message: "dryRun is not supported" })),
    outcome: { kind: "rejected", reason: "NoDryRun" },
  },
  {
    reason: "a 400 for a field named dryRun rejects the object",
    answer: answered(400, status({ reason: "BadRequest", message: 'unknown field "spec.dryRun"' })),
    outcome: { kind: "rejected", reason: "BadRequest" },
  },
  {
    reason: "a 403 that mentions dry runs rejects the object",
    answer: answered(403, status({ reason: "Forbidden", message: 'admission webhook "a.b.c" denied: no dry run' })),
    outcome: { kind: "rejected", reason: "Forbidden" },
  },
  {
    reason: "a 500 for an undeclared field is rejected",
    answer: answered(500, status({ message: "failed to create typed patch object: x" })),
    outcome: { kind: "rejected", reason: "500", message: "failed to create typed patch object: x" },
  },
  {
    reason: "any other 500 is unavailable",
    answer: answered(500, status({ message: "webhook failed" })),
    outcome: { kind: "unavailable", message: "the API server returned 500: webhook failed" },
  },
  {
    reason: "Retry-After is kept",
    answer: answered(429, status({ message: "slow" }), 3000),
    outcome: { kind: "unavailable", message: "the API server returned 429: slow", retryInMs: 3000 },
  },
  {
    reason: "a 504 is unavailable, because the write may have succeeded",
    answer: answered(504, status({})),
    outcome: { kind: "unavailable" },
  },
  {
    reason: "a second 401 is unavailable",
    answer: answered(401, status({ message: "Unauthorized" })),
    outcome: { kind: "unavailable" },
  },
  {
    reason: "a broken connection is unavailable",
    answer: failed,
    outcome: { kind: "unavailable", message: "socket hang up" },
  },
  {
    reason: "a plain text 404 means that the kind is not served",
    answer: answered(404),
    outcome: { kind: "missing", what: "kind" },
  },
  {
    reason: "a 404 for a namespace means that it is missing",
    answer: answered(404, status({ details: { kind: "namespaces", name: "x" } })),
    outcome: { kind: "missing", what: "namespace" },
  },
  {
    reason: "a 404 of a webhook is unavailable and quoted",
    answer: answered(
      404,
      status({
        reason: "NotFound",
        message: 'admission webhook "validate-hco.kubevirt.io" denied the request: kubevirts "kubevirt" not found',
      }),
    ),
    outcome: {
      kind: "unavailable",
      message:
        'the API server returned 404: admission webhook "validate-hco.kubevirt.io" denied the request: kubevirts "kubevirt" not found',
    },
  },
  {
    reason: "a 409 of a webhook is unavailable and quoted",
    answer: answered(
      409,
      status({
        reason: "Conflict",
        message: 'admission webhook "validate-hco.kubevirt.io" denied the request: the KubeVirt has been modified',
        details: { name: "kubevirt", kind: "kubevirts" },
      }),
    ),
    outcome: {
      kind: "unavailable",
      message:
        'the API server returned 409: admission webhook "validate-hco.kubevirt.io" denied the request: the KubeVirt has been modified',
    },
  },
  {
    reason: "a 404 for an object means that it is absent",
    answer: answered(404, status({ details: { kind: "pods", name: "x" } })),
    outcome: { kind: "absent" },
  },
];

test.each(cases)("$reason", ({ answer, outcome }) => {
  expect(writeResultOf(answer)).toMatchObject(outcome);
  expect(writeResultOf(answer).kind).toBe(outcome.kind);
});

test("distinguishes rejected dry runs from rejected objects", () => {
  const outcomes = cases.flatMap(({ answer }) => {
    const writing = writeResultOf(answer);
    return writing.kind === "conflict" || writing.kind === "absent" ? [] : [writing];
  });
  expect(outcomes.filter(isDryRunRefused)).toHaveLength(3);
});

test("a read has no other results", () => {
  expect(readResultOf(answered(200, { kind: "Pod" }))).toEqual({ kind: "found", object: { kind: "Pod" } });
  expect(readResultOf(answered(409, status({})))).toMatchObject({ kind: "unavailable" });
  for (const { answer } of cases)
    expect(["found", "absent", "missing", "rejected", "unavailable"]).toContain(readResultOf(answer).kind);
});
