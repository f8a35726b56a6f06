import type { Topology } from "@virt/cluster";
import { expect, test } from "vitest";
import type { ApplyDecision } from "../baseline/decision.ts";
import type { AssetStatus } from "../evaluate/asset-status.ts";
import type { ManagedObject } from "../evaluate/evaluate-object.ts";
import { active, decided, evaluated, failed, passing, thing } from "../testing/outcome-fixtures.ts";
import { eventsForOutcome } from "./outcome-events.ts";
import type { ReconcileOutcome } from "./reconcile-outcome.ts";
import { eventsForStatus } from "./status-events.ts";

const excluded = (reason: string, details = ""): AssetStatus => ({ kind: "excluded", reason, details }) as AssetStatus;

const object = { ref: { ...thing, name: "t" }, assets: [] } as unknown as ManagedObject;
const change = { path: ["f:spec", "f:a"], desired: 1, live: 2 } as unknown as ApplyDecision["changes"][number];
const opponents = ['"kubectl" (Update)'];
const done = { patched: 0, released: [], adopted: [], isResumed: false };
const drift = { cause: "drift", changes: [change], opponents, contested: [], done } as unknown as ApplyDecision;
const by = { changes: [change], opponents };
const topology = { workerCount: 3, masterCount: 1 } as Topology;

const adopting = { ...done, adopted: [{ ...change, managers: ["kubectl"] }] };
const role = { "machineconfiguration.openshift.io/role": "worker" };
const swap = {
  ...thing,
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "t", labels: role },
  spec: { config: 1 },
};
const labelledSwap = { ...swap, metadata: { name: "t", labels: { ...role, other: "x" } } };

const outcomes: readonly { outcome: ReconcileOutcome; statuses?: readonly AssetStatus[]; notes: readonly string[] }[] =
  [
    {
      outcome: { kind: "applied", apply: drift, before: thing, live: thing, mutated: [] },
      notes: [
        'DriftDetected: Drift detected for T t: /spec/a (1 → 2) changed by "kubectl" (Update)',
        "DriftCorrected: Corrected drift for T t",
      ],
    },
    {
      outcome: { kind: "applied", apply: { ...drift, cause: "intent" }, before: thing, live: thing, mutated: [] },
      notes: ["AssetApplied: Applied asset asset-0: T t"],
    },
    {
      outcome: { kind: "applied", apply: { ...drift, cause: "create" }, before: undefined, live: swap, mutated: [] },
      notes: ["AssetApplied: Applied asset asset-0: T t; 3 nodes of pool worker will reboot"],
    },
    {
      outcome: { kind: "applied", apply: { ...drift, cause: "intent" }, before: swap, live: labelledSwap, mutated: [] },
      notes: ["AssetApplied: Applied asset asset-0: T t"],
    },
    {
      outcome: {
        kind: "applied",
        apply: { ...drift, cause: "intent", done: adopting },
        before: thing,
        live: thing,
        mutated: [],
      },
      notes: [
        "FieldsAdopted: Took over fields of T t because of annotation platform.kubevirt.io/adopt: /spec/a (2 → 1, previously owned by kubectl)",
        "AssetApplied: Applied asset asset-0: T t",
      ],
    },
    {
      outcome: decided({ kind: "mutated", changes: [change], contested: [], inMs: 1 }),
      notes: [
        "MutatedByAdmission: The stored T t differs from the applied one: /spec/a is 2 (applied: 1). A mutating webhook or admission policy modifies it. The operator retries when a webhook or policy changes. Next: find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)",
      ],
    },
    {
      outcome: decided({ kind: "held", reason: "InvalidPatch", message: "bad", ...by }),
      notes: [
        "InvalidPatch: Invalid JSON patch for T t: bad. The object is left unchanged: drift is reported but not corrected.",
        'DriftDetected: Drift detected for T t: /spec/a (1 → 2) changed by "kubectl" (Update)',
      ],
    },
    {
      outcome: decided({ kind: "held", reason: "InvalidIgnoreFields", message: "bad", changes: [change] }),
      notes: [
        "InvalidIgnoreFields: Invalid ignore-fields annotation for T t: bad. The object is left unchanged: drift is reported but not corrected.",
        "DriftDetected: Drift detected for T t: /spec/a (1 → 2) changed by unknown",
      ],
    },
    {
      outcome: decided({ kind: "unmanaged" }),
      notes: [
        "UnmanagedMode: T t is unmanaged (annotation platform.kubevirt.io/mode): the operator does not write to it. To manage it again, run kubectl annotate t t platform.kubevirt.io/mode-",
      ],
    },
    { outcome: failed, notes: ["ApplyFailed: Failed to apply asset asset-0 to T t: no"] },
    { outcome: passing, notes: [] },
    {
      outcome: { kind: "excluded" },
      statuses: [excluded("RenderError", "no such fact")],
      notes: ["RenderFailed: Failed to render asset asset-0: no such fact"],
    },
  ];
test.each(outcomes)("events: $notes", ({ outcome, statuses = [active], notes: texts }) => {
  const reconciled = { outcome, evaluated: evaluated(...statuses) };
  const all = [...eventsForOutcome(object.ref, reconciled, topology), ...eventsForStatus(object, reconciled)];
  expect(all.map(({ reason, note }) => `${reason}: ${note}`)).toEqual(texts);
});
