import { expect, test } from "vitest";
import type { ApiWriter } from "../client/api-client.ts";
import { createObject } from "../client/request.ts";
import { type ReconcileTrace, ReconcileTracer } from "./reconcile-tracer.ts";

const secrets = { group: "", version: "v1", plural: "secrets", isNamespaced: true } as const;
const created = createObject(secrets, { namespace: "n" }, { data: { password: "c4nary" } });
const request = { ...created, path: `${created.path}?dryRun=All` };
const client = {
  write: () => Promise.resolve({ kind: "answered", status: 201, body: { data: "c4nary" } }),
} as unknown as ApiWriter;

test("traces key, triggers, decisions, requests and duration, but no content", async () => {
  const traces: ReconcileTrace[] = [];
  const tracer = new ReconcileTracer((trace) => traces.push(trace));
  for (const _ of [1, 2]) tracer.triggered("one", "Node worker-0 changed");
  const reconcile = tracer.begin("one", client);
  await reconcile.client.write(request, { signal: new AbortController().signal });
  reconcile.explain("in sync");
  tracer.ended({ key: "one", outcome: "done", durationMs: 12 });
  expect(traces).toEqual([
    {
      key: "one",
      triggers: ["Node worker-0 changed"],
      decisions: ["in sync"],
      requests: ["create /api/v1/namespaces/n/secrets (201, dry run)"],
      outcome: "done",
      durationMs: 12,
    },
  ]);
  expect(JSON.stringify(traces)).not.toContain("c4nary");
});

test("a change during a reconcile triggers the next one", () => {
  const traces: ReconcileTrace[] = [];
  const tracer = new ReconcileTracer((trace) => traces.push(trace));
  const reconcileOnce = () => tracer.ended({ key: "one", outcome: "done", durationMs: 0 });
  tracer.begin("one", client);
  tracer.triggered("one", "Node worker-1 changed");
  reconcileOnce();
  for (const _ of [1, 2]) {
    tracer.begin("one", client);
    reconcileOnce();
  }
  expect(traces.map(({ triggers }) => triggers)).toEqual([["requeue"], ["Node worker-1 changed"], ["requeue"]]);
});

test("bounds the triggers of a trace", () => {
  const traces: ReconcileTrace[] = [];
  const tracer = new ReconcileTracer((trace) => traces.push(trace));
  for (let at = 0; at < 1000; at++) tracer.triggered("one", `Node worker-${at} changed`);
  tracer.begin("one", client);
  tracer.ended({ key: "one", outcome: "done", durationMs: 0 });
  expect(traces[0]?.triggers).toHaveLength(10);
});
