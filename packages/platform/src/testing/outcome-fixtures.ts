// Reconcile outcomes of one small object, for tests of events and metrics.

import type { KubeObject } from "@virt/api";
import type { ObjectDecision } from "../baseline/decision.ts";
import { type AssetStatus, unreadStatus } from "../evaluate/asset-status.ts";
import type { EvaluatedObject } from "../evaluate/evaluate-object.ts";
import type { ReconcileOutcome } from "../reporting/reconcile-outcome.ts";

export const thing: KubeObject = { apiVersion: "v1", kind: "T", metadata: { name: "t" } };
export const active: AssetStatus = { kind: "active", object: thing, leftOut: [] };
export const waits: AssetStatus = unreadStatus({ name: "nodes", why: "HTTP 503: later" });
export const evaluated = (...statuses: readonly AssetStatus[]): EvaluatedObject => ({
  statuses: new Map(statuses.map((status, at) => [`asset-${at}`, status])),
  wanted: { kind: "excluded" },
});
export const decided = (decision: ObjectDecision): ReconcileOutcome => ({ kind: "decided", decision });
export const inSync = decided({ kind: "in-sync", contested: [], intent: thing });
export const throttled = decided({ kind: "wait", why: "throttled", inMs: 6_000 });
export const blind = decided({ kind: "held", reason: "InputUnavailable", message: "not listed yet" });
export const failed: ReconcileOutcome = { kind: "failed", message: "no", isPermanent: true };
export const passing: ReconcileOutcome = { kind: "failed", message: "later", isPermanent: false };
export const notes = (events: readonly { readonly note: string }[]) => events.map(({ note }) => note);
