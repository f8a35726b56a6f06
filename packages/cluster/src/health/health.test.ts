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
    reason: "a HyperConverged without status is waiting",
    object: object("HyperConverged", {}),
    state: "waiting",
    message: "HyperConverged 'x' has no status yet",
  },
  {
    reason: "an available HyperConverged is done",
    object: object(
      "HyperConverged",
      conditions(["Available", "True"], ["Progressing", "False"], ["Degraded", "False"]),
    ),
    state: "done",
    message: "HyperConverged 'x' is available",
  },
  {
    reason: "a degraded HyperConverged reports the cause",
    object: object("HyperConverged", conditions(["Available", "True"], ["Degraded", "True", "no virt-api"])),
    state: "degraded",
    message: "HyperConverged 'x' is degraded (no virt-api)",
  },
  {
    reason: "a progressing HyperConverged is waiting",
    object: object("HyperConverged", conditions(["Available", "True"], ["Progressing", "True", "rolling out"])),
    state: "waiting",
    message: "HyperConverged 'x' is progressing (rolling out)",
  },
  {
    reason: "an unavailable HyperConverged is waiting",
    object: object("HyperConverged", conditions(["Available", "False", "soon"])),
    state: "waiting",
    message: "HyperConverged 'x' is not available (soon)",
  },
  {
    reason: "a HyperConverged without Available is waiting",
    object: object("HyperConverged", conditions(["ReconcileComplete", "True"])),
    state: "waiting",
    message: "HyperConverged 'x' is not available",
  },
  {
    reason: "a HyperConverged with an old generation is waiting",
    object: object("HyperConverged", {
      status: { observedGeneration: 1, conditions: [{ type: "Available", status: "True" }] },
    }),
    state: "waiting",
    message: "HyperConverged 'x' is processing changes",
  },
  {
    reason: "a KubeDescheduler without Available is done",
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
    reason: "a KubeDescheduler without status is waiting",
    object: object("KubeDescheduler", { status: {} }),
    state: "waiting",
    message: "KubeDescheduler 'x' has no status yet",
  },
  {
    reason: "an enabled NodeHealthCheck is done",
    object: object("NodeHealthCheck", conditions(["Disabled", "False"])),
    state: "done",
    message: "NodeHealthCheck 'x' is enabled",
  },
  {
    reason: "a disabled NodeHealthCheck is degraded, with its reason and message",
    object: object("NodeHealthCheck", {
      status: {
        conditions: [{ type: "Disabled", status: "True", reason: "RemediationTemplateNotFound", message: "no" }],
      },
    }),
    state: "degraded",
    message: "NodeHealthCheck 'x' is disabled: RemediationTemplateNotFound: no",
  },
  {
    reason: "a NodeHealthCheck without status is waiting",
    object: object("NodeHealthCheck", {}),
    state: "waiting",
    message: "NodeHealthCheck 'x' has no status yet",
  },
  {
    reason: "a node without status is waiting",
    object: node("b", "a", {}),
    state: "waiting",
    message: "Node 'x' has no status yet",
  },
  {
    reason: "a node with its target is done",
    object: node("b", "b", conditions(["Updated", "True"])),
    state: "done",
    message: "Node 'x' is updated",
  },
  {
    reason: "a node with another configuration is waiting",
    object: node("b", "a", conditions(["Updated", "True"])),
    state: "waiting",
    message: "Node 'x' is waiting to be updated",
  },
  {
    reason: "a node reports its latest step",
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
    reason: "a node reports its reboot",
    object: node("b", "a", conditions(["Drained", "True"], ["AppliedFilesAndOS", "True"], ["RebootedNode", "Unknown"])),
    state: "waiting",
    message: "Node 'x' is rebooting",
  },
  {
    reason: "a degraded node reports the cause",
    object: node("b", "a", conditions(["NodeDegraded", "True", "disk full"])),
    state: "degraded",
    message: "Node 'x' is degraded (disk full)",
  },
  {
    reason: "a migration without status has not started",
    object: migration(""),
    state: "waiting",
    message: "Migration 'x' of 'vm' has not started",
  },
  {
    reason: "a running migration reports its phase",
    object: migration("TargetReady"),
    state: "waiting",
    message: "Migration 'x' of 'vm' is TargetReady",
  },
  {
    reason: "a successful migration is done",
    object: migration("Succeeded"),
    state: "done",
    message: "Migration 'x' of 'vm' succeeded",
  },
  {
    reason: "a failed migration is failed",
    object: migration("Failed"),
    state: "failed",
    message: "Migration 'x' of 'vm' failed",
  },
  {
    reason: "the health of a pool does not require a MachineConfig",
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

test("any status has a health, and only real conditions make it done", () => {
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
