import type { Json, KubeObject } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Health } from "./conditions.ts";
import { machineConfigPoolHealth, type Rendering } from "./machine-config-pool.ts";

type PoolInput = { spec?: Record<string, Json>; status?: Json; generation?: number };

const condition = (type: string, status = "True", message = ""): Json => ({ type, status, message, reason: "" });
const counts = (machineCount: number, updatedMachineCount: number, readyMachineCount: number) => ({
  machineCount,
  updatedMachineCount,
  readyMachineCount,
});
const current = { configuration: { name: "rendered-worker-1" } };
const updated = [condition("Updated"), condition("Updating", "False"), condition("Degraded", "False")];
const done = { ...current, ...counts(3, 3, 3), conditions: updated };

const pool = ({ spec = {}, status, generation }: PoolInput): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "worker", ...(generation === undefined ? {} : { generation }) },
  spec: { ...current, ...spec },
  ...(status === undefined ? {} : { status }),
});

const apply: Rendering = { machineConfig: "99-psi", operation: "Apply", isRendered: true, startedMsAgo: 0 };
const renderError = condition("RenderDegraded", "True", "bad ignition");

const cases: readonly {
  reason: string;
  given: PoolInput;
  rendering?: Rendering;
  state: Health["state"];
  message: string;
}[] = [
  {
    reason: "2: a pool without status is waiting",
    given: {},
    state: "waiting",
    message: "MachineConfigPool status not available",
  },
  {
    reason: "3: reports degraded machines",
    given: { status: { ...done, degradedMachineCount: 2 } },
    state: "degraded",
    message: "MachineConfigPool 'worker' is degraded (2 of 3 nodes degraded)",
  },
  {
    reason: "3: comes before 4",
    given: { status: { degradedMachineCount: 1 } },
    state: "degraded",
    message: "MachineConfigPool 'worker' is degraded (1 of 1 nodes degraded)",
  },
  {
    reason: "4: a status without conditions is waiting",
    given: { status: {} },
    state: "waiting",
    message: "MachineConfigPool conditions not available",
  },
  {
    reason: "5: a degraded pool reports the cause",
    given: { status: { ...done, conditions: [condition("Degraded", "True", "disk full")] } },
    state: "degraded",
    message: "MachineConfigPool 'worker' is degraded (disk full)",
  },
  {
    reason: "5: the render error comes first",
    given: { status: { ...done, conditions: [condition("Degraded", "True", ""), renderError] } },
    state: "degraded",
    message: "MachineConfigPool 'worker' is degraded (bad ignition)",
  },
  {
    reason: "5: a render error may last five minutes",
    given: { status: { ...done, conditions: [renderError] } },
    rendering: { ...apply, startedMsAgo: 299_999 },
    state: "degraded",
    message: "MachineConfigPool 'worker' is degraded (bad ignition)",
  },
  {
    reason: "5: a longer render error fails",
    given: { status: { ...done, conditions: [renderError] } },
    rendering: { ...apply, startedMsAgo: 300_000 },
    state: "failed",
    message: "MachineConfigPool 'worker' cannot render MachineConfig '99-psi': bad ignition",
  },
  {
    reason: "6: reports a paused pool",
    given: {
      spec: { paused: true },
      status: { ...done, ...counts(3, 1, 1), conditions: [condition("Updated", "False")] },
    },
    state: "waiting",
    message: "MachineConfigPool 'worker' is paused (1 of 3 nodes updated)",
  },
  {
    reason: "6: a pause comes before an update",
    given: { spec: { paused: true }, status: { ...done, conditions: [condition("Updating")] } },
    state: "waiting",
    message: "MachineConfigPool 'worker' is paused (3 of 3 nodes updated)",
  },
  {
    reason: "6: a paused pool that is done is done",
    given: { spec: { paused: true }, status: done },
    state: "done",
    message: "MachineConfigPool 'worker' is ready (all 3 nodes updated)",
  },
  {
    reason: "7: an updating pool reports its machines",
    given: { status: { ...done, ...counts(3, 1, 1), conditions: [condition("Updating")] } },
    state: "waiting",
    message: "MachineConfigPool 'worker' is updating (1 of 3 nodes updated)",
  },
  {
    reason: "8: a pool that has not rendered the change is waiting",
    given: { status: done },
    rendering: { ...apply, isRendered: false },
    state: "waiting",
    message: "MachineConfigPool 'worker' has not rendered MachineConfig '99-psi' yet",
  },
  {
    reason: "8: a pool that still renders a deleted config is waiting",
    given: { status: done },
    rendering: { ...apply, operation: "Delete", isRendered: false },
    state: "waiting",
    message: "MachineConfigPool 'worker' still renders MachineConfig '99-psi'",
  },
  {
    reason: "9: a pool without Updated is processing changes",
    given: { status: { ...done, conditions: [condition("Updated", "False")] } },
    state: "waiting",
    message: "MachineConfigPool 'worker' is processing changes (3 of 3 nodes updated)",
  },
  {
    reason: "9: omits the counts of an earlier target",
    given: { status: { ...done, configuration: { name: "rendered-worker-0" } } },
    state: "waiting",
    message: "MachineConfigPool 'worker' is processing changes",
  },
  {
    reason: "9: omits the counts of an older generation",
    given: { status: { ...done, ...counts(3, 2, 2), observedGeneration: 4 }, generation: 5 },
    state: "waiting",
    message: "MachineConfigPool 'worker' is processing changes",
  },
  {
    reason: "10: a pool without machines is done",
    given: { status: { ...done, ...counts(0, 0, 0) } },
    state: "done",
    message: "MachineConfigPool 'worker' is ready (no nodes in this pool)",
  },
  {
    reason: "11: a pool with all machines updated is done",
    given: { status: { ...done, observedGeneration: 5 }, generation: 5 },
    rendering: apply,
    state: "done",
    message: "MachineConfigPool 'worker' is ready (all 3 nodes updated)",
  },
  {
    reason: "12: waits for a machine that is not ready",
    given: { status: { ...done, ...counts(3, 3, 2) } },
    state: "waiting",
    message: "Waiting for MachineConfigPool 'worker' to stabilize (3 of 3 nodes updated, 2 of them ready)",
  },
];

test.each(cases)("row $reason", ({ given, rendering, state, message }) => {
  expect(machineConfigPoolHealth(pool(given), rendering)).toMatchObject({ state, message });
});

test("a degraded pool reports the nodes and causes of its condition", () => {
  const message = 'Node worker-1 is reporting: "disk is full"';
  const status = {
    ...counts(3, 1, 1),
    degradedMachineCount: 1,
    conditions: [condition("NodeDegraded", "True", message)],
  };
  const said = `MachineConfigPool 'worker' is degraded (1 of 3 nodes: ${message})`;
  expect(machineConfigPoolHealth(pool({ status }))).toEqual({
    state: "degraded",
    message: said,
    problem: said,
    pools: [{ pool: "worker", updated: 1, nodes: 3 }],
  });
});

// The same error, reported once for the MachineConfigNode and once for the node's annotation.
const reportedTwice =
  'Node worker-1 is reporting: "Node worker-1 upgrade failure. disk is full", Node worker-1 is reporting: "disk is full"';

test("a degraded pool reports each cause once", () => {
  const conditions = [condition("NodeDegraded", "True", reportedTwice), condition("Degraded", "True", reportedTwice)];
  const counted = { ...counts(3, 1, 1), degradedMachineCount: 1, conditions };
  const shown = 'Node worker-1 is reporting: "disk is full"';
  expect(machineConfigPoolHealth(pool({ status: counted })).message).toBe(
    `MachineConfigPool 'worker' is degraded (1 of 3 nodes: ${shown})`,
  );
  const uncounted = { ...counted, degradedMachineCount: 0 };
  expect(machineConfigPoolHealth(pool({ status: uncounted })).message).toBe(
    `MachineConfigPool 'worker' is degraded (${shown})`,
  );
});

test("omits counts of an earlier target until the pool observes the new", () => {
  const conditions = [condition("Updated", "False"), condition("Updating")];
  const status = {
    ...counts(3, 3, 3),
    configuration: { name: "rendered-worker-0" },
    observedGeneration: 4,
    conditions,
  };
  const pools = (observedGeneration: number, updatedMachineCount: number) =>
    machineConfigPoolHealth(
      pool({ status: { ...status, observedGeneration, updatedMachineCount }, generation: 5 }),
      apply,
    ).pools;
  expect(pools(4, 3)).toEqual([{ pool: "worker", nodes: 3 }]);
  expect(pools(5, 0)).toEqual([{ pool: "worker", nodes: 3, updated: 0 }]);
  expect(pools(5, 3)).toEqual([{ pool: "worker", nodes: 3 }]);
});

test("given counts replace those of the status", () => {
  const status = { ...current, ...counts(3, 1, 1), conditions: [condition("Updating")] };
  const health = machineConfigPoolHealth(pool({ status }), apply, { pool: "worker", nodes: 3, updated: 2 });
  expect(health).toEqual({
    state: "waiting",
    message: "MachineConfigPool 'worker' is updating (2 of 3 nodes updated)",
    pools: [{ pool: "worker", nodes: 3, updated: 2 }],
  });
});

test("a pool that has not rendered the change has 0 updated nodes", () => {
  const status = { ...counts(3, 3, 3), conditions: [condition("Updated", "True")] };
  const { pools } = machineConfigPoolHealth(pool({ status }), { ...apply, isRendered: false });
  expect(pools).toEqual([{ pool: "worker", updated: 0, nodes: 3 }]);
});

test("is not done if unrendered, degraded, behind, outdated or not ready", () => {
  const status = fc.constantFrom("True", "False");
  const count = fc.nat(2);
  const given = fc.record({
    updated: status,
    updating: status,
    degraded: status,
    render: status,
    machines: count,
    up: count,
    ready: count,
    sick: fc.nat(1),
    observed: fc.nat(1),
    name: fc.constantFrom("rendered-worker-0", "rendered-worker-1"),
    paused: fc.boolean(),
    isRendered: fc.boolean(),
  });
  const law = fc.property(given, (each) => {
    const conditions = [
      condition("Updated", each.updated),
      condition("Updating", each.updating),
      condition("Degraded", each.degraded),
      condition("RenderDegraded", each.render),
    ];
    const status = {
      ...counts(each.machines, each.up, each.ready),
      degradedMachineCount: each.sick,
      observedGeneration: each.observed,
      configuration: { name: each.name },
      conditions,
    };
    const { state } = machineConfigPoolHealth(pool({ spec: { paused: each.paused }, status, generation: 1 }), {
      ...apply,
      isRendered: each.isRendered,
    });
    const isDone = [
      each.isRendered,
      each.sick === 0,
      each.observed === 1,
      each.name === "rendered-worker-1",
      each.updated === "True",
      each.updating === "False",
      each.degraded === "False",
      each.render === "False",
      each.machines === 0 || (each.up === each.machines && each.ready === each.machines),
    ].every(Boolean);
    return (state === "done") === isDone;
  });
  fc.assert(law);
});
