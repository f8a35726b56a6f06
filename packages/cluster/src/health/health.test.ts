import type { Json, KubeObject } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { healthOf } from "./health.ts";

const object = (kind: string, rest: Record<string, Json>): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "x", generation: 2 },
  ...rest,
});
const conditions = (...given: readonly (readonly [string, string, string?])[]): Record<string, Json> => ({
  status: {
    conditions: given.map(([type, status, message]) => ({
      type,
      status,
      ...(message === undefined ? {} : { message }),
    })),
  },
});
const node = (desired: string, current: string, rest: Record<string, Json>) =>
  object("MachineConfigNode", {
    spec: { configVersion: { desired } },
    status: { configVersion: { current }, ...(rest["status"] as object) },
  });
const migration = (phase: string) =>
  object("VirtualMachineInstanceMigration", { spec: { vmiName: "vm" }, status: { phase } });

const cases: readonly { reason: string; object: KubeObject; state: string; message: string }[] = [
  {
    reason: "a HyperConverged that was never reconciled is waited for",
    object: object("HyperConverged", {}),
    state: "waiting",
    message: "HyperConverged 'x' has no status yet",
  },
  {
    reason: "a HyperConverged is done when it is available",
    object: object(
      "HyperConverged",
      conditions(["Available", "True"], ["Progressing", "False"], ["Degraded", "False"]),
    ),
    state: "done",
    message: "HyperConverged 'x' is available",
  },
  {
    reason: "a degraded HyperConverged says why",
    object: object("HyperConverged", conditions(["Available", "True"], ["Degraded", "True", "no virt-api"])),
    state: "degraded",
    message: "HyperConverged 'x' is degraded (no virt-api)",
  },
  {
    reason: "a progressing HyperConverged is waited for",
    object: object("HyperConverged", conditions(["Available", "True"], ["Progressing", "True", "rolling out"])),
    state: "waiting",
    message: "HyperConverged 'x' is progressing (rolling out)",
  },
  {
    reason: "an unavailable HyperConverged is waited for",
    object: object("HyperConverged", conditions(["Available", "False", "soon"])),
    state: "waiting",
    message: "HyperConverged 'x' is not available (soon)",
  },
  {
    reason: "a HyperConverged that does not say it is available is not",
    object: object("HyperConverged", conditions(["ReconcileComplete", "True"])),
    state: "waiting",
    message: "HyperConverged 'x' is not available",
  },
  {
    reason: "a HyperConverged that has not seen the change is waited for",
    object: object("HyperConverged", {
      status: { observedGeneration: 1, conditions: [{ type: "Available", status: "True" }] },
    }),
    state: "waiting",
    message: "HyperConverged 'x' is processing changes",
  },
  {
    reason: "a KubeDescheduler need not say that it is available",
    object: object("KubeDescheduler", conditions(["TargetConfigControllerDegraded", "False"])),
    state: "done",
    message: "KubeDescheduler 'x' is available",
  },
  {
    reason: "a KubeDescheduler with a degraded controller is degraded",
    object: object("KubeDescheduler", conditions(["TargetConfigControllerDegraded", "True", "bad profile"])),
    state: "degraded",
    message: "KubeDescheduler 'x' is degraded (bad profile)",
  },
  {
    reason: "a KubeDescheduler that was never reconciled is waited for",
    object: object("KubeDescheduler", { status: {} }),
    state: "waiting",
    message: "KubeDescheduler 'x' has no status yet",
  },
  {
    reason: "a node without a status is waited for",
    object: node("b", "a", {}),
    state: "waiting",
    message: "Node 'x' has no status yet",
  },
  {
    reason: "a node is done when it runs what it should",
    object: node("b", "b", conditions(["Updated", "True"])),
    state: "done",
    message: "Node 'x' is updated",
  },
  {
    reason: "a node that runs something else is not",
    object: node("b", "a", conditions(["Updated", "True"])),
    state: "waiting",
    message: "Node 'x' is waiting to be updated",
  },
  {
    reason: "a node reports the last step it has come to",
    object: node(
      "b",
      "a",
      conditions(
        ["Updated", "False"],
        ["UpdatePrepared", "True"],
        ["Cordoned", "True"],
        ["Drained", "Unknown"],
        ["RebootedNode", "False"],
      ),
    ),
    state: "waiting",
    message: "Node 'x' is being drained",
  },
  {
    reason: "a node that reboots says so",
    object: node("b", "a", conditions(["Drained", "True"], ["AppliedFilesAndOS", "True"], ["RebootedNode", "Unknown"])),
    state: "waiting",
    message: "Node 'x' is rebooting",
  },
  {
    reason: "a degraded node says why",
    object: node("b", "a", conditions(["NodeDegraded", "True", "disk full"])),
    state: "degraded",
    message: "Node 'x' is degraded (disk full)",
  },
  {
    reason: "a migration that was never reconciled has not begun",
    object: migration(""),
    state: "waiting",
    message: "Migration 'x' of 'vm' has not begun",
  },
  {
    reason: "a migration under way reports its phase",
    object: migration("TargetReady"),
    state: "waiting",
    message: "Migration 'x' of 'vm' is TargetReady",
  },
  {
    reason: "a migration that succeeded is done",
    object: migration("Succeeded"),
    state: "done",
    message: "Migration 'x' of 'vm' succeeded",
  },
  {
    reason: "a migration that failed stays failed",
    object: migration("Failed"),
    state: "failed",
    message: "Migration 'x' of 'vm' failed",
  },
  {
    reason: "the health of a pool is known without a MachineConfig too",
    object: object("MachineConfigPool", {}),
    state: "waiting",
    message: "MachineConfigPool status not available",
  },
];

test.each(cases)("$reason", ({ object, state, message }) => {
  expect(healthOf(object)).toMatchObject({ state, message });
});

test("a kind without a rule has no health", () => {
  expect(healthOf(object("ConfigMap", {}))).toBeUndefined();
  expect(healthOf(object("constructor", {}))).toBeUndefined();
});

test("whatever a status holds, an object has a health, and only a real condition makes it done", () => {
  const kind = fc.constantFrom(
    "HyperConverged",
    "KubeDescheduler",
    "MachineConfigNode",
    "MachineConfigPool",
    "VirtualMachineInstanceMigration",
  );
  const odd = fc.constantFrom<Json>(
    null,
    1,
    "x",
    [],
    {},
    [null],
    [{}],
    [{ type: 1, status: true }],
    { conditions: 7 },
    { conditions: [{ type: "Available" }] },
    { phase: {} },
    { configVersion: [] },
  );
  const law = fc.property(kind, odd, odd, (kind, spec, status) => {
    const health = healthOf(object(kind, { spec, status }));
    return health !== undefined && health.state !== "done" && health.message !== "";
  });
  fc.assert(law);
});
