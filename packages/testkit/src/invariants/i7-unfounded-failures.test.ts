import { expect, test } from "vitest";
import { AuditLogBuilder, item, violationsBy } from "../testing/audit-log-builder.ts";
import { unfoundedFailures } from "./i7-unfounded-failures.ts";
import { phases } from "./phase-edges.ts";
import type { StoredItem } from "./stored-config.ts";

const violationsOf = violationsBy(unfoundedFailures);

type Answer = { readonly code?: number; readonly message?: string; readonly details?: object };
const refusal: Answer = { code: 422, message: "spec.kernelArguments: Invalid value" };

/** Answers the writes of the item, or its dry runs in a draft. */
const answered = (log: AuditLogBuilder, answers: readonly Answer[], query?: string) =>
  answers.reduce(
    (soFar, responseStatus) =>
      soFar.advance(5_000).applyTarget({ responseStatus, ...(query !== undefined && { query }) }),
    log,
  );
const written = (...answers: readonly Answer[]) => answered(new AuditLogBuilder().startPlan(), answers);
const dryRun = (...answers: readonly Answer[]) =>
  answered(
    new AuditLogBuilder().editSpec({}).writeStatus({ phase: "Drafting" }),
    answers,
    "?dryRun=All&fieldManager=virt-advisor-operator",
  );

const conditions = (message: string) =>
  phases.map((type) => ({ type, status: type === "Failed" ? "True" : "False", message }));
const failed = (log: AuditLogBuilder, message: string, differing: Partial<StoredItem> = {}) =>
  log.writeStatus({
    phase: "Failed",
    conditions: conditions(message),
    items: [{ ...item, state: "Failed", message, ...differing }],
  });
const withErrors = (log: AuditLogBuilder, message: string, differing: Partial<StoredItem> = {}) =>
  log.writeStatus({ phase: "CompletedWithErrors", items: [{ ...item, state: "Failed", message, ...differing }] });

const transient = [
  "the API server returned 500: Internal error occurred: failed calling webhook",
  "the API server returned 503: the server is currently unable to handle the request",
  "the API server returned 429: the server has received too many requests and has asked us to try again later",
  "the API server returned 401: Unauthorized",
  "socket hang up",
  "connect ECONNREFUSED 127.0.0.1:6443",
  "getaddrinfo EAI_AGAIN kubernetes.default.svc",
  "no connection within 5 s",
  "no response within 30 s",
  "connection closed in the middle of the response",
  "response ended early",
  "the response is not valid JSON",
  "request cancelled",
  "lost leadership: write not sent",
  "not sent: circuit breaker is open, the API server is probed once a second",
  "the client certificate expired at 2030-01-01T00:00:00.000Z (kubeconfig)",
  "cannot read MachineConfig psi: socket hang up",
  "MachineConfig is no longer served: its CRD is missing",
  "MachineConfig psi was modified concurrently several times in a row",
  "targets of the plan were modified concurrently",
];

test.each(transient)("broken with any message: %s", (message) => {
  const why = "item enable-psi-metrics failed, but its last answers are not a permanent refusal";
  expect(violationsOf(failed(written(), message))).toEqual([expect.stringContaining(why)]);
  expect(violationsOf(withErrors(written({ code: 503 }), message))).toEqual([expect.stringContaining(why)]);
  const draft = dryRun({ code: 503 }).writeStatus({ phase: "Failed", conditions: conditions(message) });
  expect(violationsOf(draft)).toEqual([expect.stringContaining("the draft failed, but no dry run")]);
});

const retryable: readonly { readonly reason: string; readonly answers: readonly Answer[] }[] = [
  { reason: "no answer", answers: [] },
  { reason: "a busy server", answers: [{ code: 429 }, { code: 503 }, { code: 500 }, { code: 504 }] },
  { reason: "conflicts", answers: [{ code: 409 }, { code: 409 }, { code: 409 }] },
  { reason: "two refusals instead of three", answers: [refusal, refusal] },
  { reason: "refusals interrupted by a success", answers: [refusal, { code: 200 }, refusal, refusal] },
  { reason: "refusals interrupted by a conflict", answers: [refusal, refusal, { code: 409 }, refusal] },
  { reason: "a last answer that is not a refusal", answers: [refusal, refusal, refusal, { code: 503 }] },
  {
    reason: "a CRD that was being deleted",
    answers: Array.from({ length: 3 }, () => ({
      code: 403,
      message: "create not allowed while custom resource definition is terminating",
    })),
  },
  {
    reason: "another object with the same name",
    answers: Array.from({ length: 3 }, () => ({ code: 422, details: { causes: [{ field: "metadata.uid" }] } })),
  },
];

test.each(retryable)("broken: $reason", ({ answers }) => {
  expect(violationsOf(failed(written(...answers), "x"))).toHaveLength(1);
  expect(violationsOf(withErrors(written(...answers), "x"))).toHaveLength(1);
  expect(violationsOf(dryRun(...answers).writeStatus({ phase: "Failed" }))).toHaveLength(1);
});

const lasting: readonly { readonly reason: string; readonly answers: readonly Answer[] }[] = [
  { reason: "three invalid writes", answers: [refusal, refusal, refusal] },
  { reason: "three forbidden writes", answers: [{ code: 403 }, { code: 403 }, { code: 403 }] },
  {
    reason: "refusals with an outage between them",
    answers: [refusal, { code: 503 }, refusal, { code: 401 }, refusal],
  },
  {
    reason: "a 500 for an undeclared field",
    answers: Array.from({ length: 3 }, () => ({
      code: 500,
      message: "failed to create typed patch object (/psi; v1): .spec.x: field not declared in schema",
    })),
  },
];

test.each(lasting)("holds: $reason", ({ answers }) => {
  expect(violationsOf(failed(written(...answers), "socket hang up"))).toEqual([]);
  expect(violationsOf(withErrors(written(...answers), "socket hang up"))).toEqual([]);
  expect(violationsOf(dryRun(...answers).writeStatus({ phase: "Failed" }))).toEqual([]);
});

test("holds: unhealthy items, and those that wait for a failed one", () => {
  expect(violationsOf(failed(written(), "x", { appliedTime: "2026-01-01T00:00:00Z" }))).toEqual([]);
  expect(violationsOf(failed(written(), "x", { changes: false }))).toEqual([]);
  const waiting = { ...item, name: "second", waitsFor: item.name, state: "Failed" };
  const both = written(refusal, refusal, refusal).writeStatus({
    phase: "CompletedWithErrors",
    items: [{ ...item, state: "Failed" }, waiting],
  });
  expect(violationsOf(both)).toEqual([]);
});

test("reports a failed item once, also if the plan continues", () => {
  const items = [{ ...item, state: "Failed" }];
  const unfounded = written({ code: 503 }).writeStatus({ phase: "InProgress", items });
  expect(violationsOf(unfounded)).toHaveLength(1);
  expect(violationsOf(unfounded.writeStatus({ phase: "CompletedWithErrors", items }))).toHaveLength(1);
});

test("an old refusal does not excuse a later failure", () => {
  const log = written(refusal, refusal, refusal).writeStatus({ phase: "InProgress" });
  expect(violationsOf(failed(log, "x"))).toHaveLength(1);
});
