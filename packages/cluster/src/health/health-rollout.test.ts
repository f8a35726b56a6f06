import type { Json, KubeObject } from "@virt/objects";
import { expect, test } from "vitest";
import { affectedPools, type MachineConfigChange, rolloutHealth } from "./health.ts";

const role = "machineconfiguration.openshift.io/role";

const machineConfig: KubeObject = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "99-psi", labels: { [role]: "worker" } },
  spec: { kernelArguments: ["psi=1"] },
};

// By default, the pool is done and has rendered 99-psi.
const pool = (
  name: string,
  { roles = [name], target = `rendered-${name}-2`, sources = ["00-base", "99-psi"], conditions = ["Updated"] } = {},
): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name },
  spec: {
    machineConfigSelector: { matchExpressions: [{ key: role, operator: "In", values: roles }] },
    configuration: { name: target, source: sources.map((name) => ({ name })) },
  },
  status: {
    machineCount: 1,
    updatedMachineCount: 1,
    readyMachineCount: 1,
    configuration: { name: target },
    conditions: conditions.map((type) => ({ type, status: "True", message: "why" })),
  },
});

const infra = { roles: ["worker", "infra"] };
const change = (given: Partial<MachineConfigChange> = {}): MachineConfigChange => ({
  machineConfig,
  operation: "Apply",
  wasThere: false,
  before: new Map(),
  startedMsAgo: 0,
  ...given,
});
const rendered = (spec: Json) => (): KubeObject => ({ ...machineConfig, metadata: { name: "rendered" }, spec });
const unread = () => undefined;

test("the affected pools match by selector, worker first, then by name", () => {
  const pools = [pool("zone", infra), pool("infra", infra), pool("worker"), pool("master")];
  expect(affectedPools(pools, machineConfig)).toEqual(["worker", "infra", "zone"]);
});

test("includes the pool of the role, worker by default, even if missing", () => {
  expect(affectedPools([], machineConfig)).toEqual(["worker"]);
  expect(affectedPools([], { ...machineConfig, metadata: { name: "x" } })).toEqual(["worker"]);
  expect(affectedPools([], { ...machineConfig, metadata: { name: "x", labels: { [role]: "master" } } })).toEqual([
    "master",
  ]);
});

const cases: readonly {
  reason: string;
  pools: readonly KubeObject[];
  given?: Partial<MachineConfigChange>;
  renderedOf?: (name: string) => KubeObject | undefined;
  state: string;
  message: string;
}[] = [
  {
    reason: "1: waits for a missing pool",
    pools: [],
    state: "waiting",
    message: "MachineConfigPool 'worker' not found",
  },
  {
    reason: "is done if all pools are done",
    pools: [pool("infra", infra), pool("worker")],
    state: "done",
    message:
      "MachineConfigPool 'worker' is ready (all 1 nodes updated); MachineConfigPool 'infra' is ready (all 1 nodes updated)",
  },
  {
    reason: "otherwise reports the pools that are not done",
    pools: [pool("infra", { ...infra, conditions: ["Updating"] }), pool("worker")],
    state: "waiting",
    message: "MachineConfigPool 'infra' is updating (1 of 1 nodes updated)",
  },
  {
    reason: "a pool that does not list the config has not rendered it",
    pools: [pool("worker", { sources: ["00-base"] })],
    state: "waiting",
    message: "MachineConfigPool 'worker' has not rendered MachineConfig '99-psi' yet",
  },
  {
    reason: "a deletion is rendered if the config is not listed",
    pools: [pool("worker", { sources: ["00-base"] })],
    given: { operation: "Delete" },
    state: "done",
    message: "MachineConfigPool 'worker' is ready (all 1 nodes updated)",
  },
  {
    reason: "a deletion is not rendered if the config is listed",
    pools: [pool("worker")],
    given: { operation: "Delete" },
    state: "waiting",
    message: "MachineConfigPool 'worker' still renders MachineConfig '99-psi'",
  },
  {
    reason: "the old target does not render a changed config",
    pools: [pool("worker")],
    given: { wasThere: true, before: new Map([["worker", "rendered-worker-2"]]) },
    state: "waiting",
    message: "MachineConfigPool 'worker' has not rendered MachineConfig '99-psi' yet",
  },
  {
    reason: "another target renders a changed config",
    pools: [pool("worker")],
    given: { wasThere: true, before: new Map([["worker", "rendered-worker-1"]]) },
    state: "done",
    message: "MachineConfigPool 'worker' is ready (all 1 nodes updated)",
  },
  {
    reason: "the old target renders a changed config if it has the content",
    pools: [pool("worker")],
    given: { wasThere: true, before: new Map([["worker", "rendered-worker-2"]]) },
    renderedOf: rendered({ kernelArguments: ["a", "psi=1"] }),
    state: "done",
    message: "MachineConfigPool 'worker' is ready (all 1 nodes updated)",
  },
  {
    reason: "the old target does not render it without the content",
    pools: [pool("worker")],
    given: { wasThere: true, before: new Map([["worker", "rendered-worker-2"]]) },
    renderedOf: rendered({ kernelArguments: ["psi=0"] }),
    state: "waiting",
    message: "MachineConfigPool 'worker' has not rendered MachineConfig '99-psi' yet",
  },
  {
    reason: "one pool that fails to render fails the rollout and is reported alone",
    pools: [pool("worker", { conditions: ["RenderDegraded"] }), pool("infra", { ...infra, conditions: ["Updating"] })],
    given: { startedMsAgo: 600_000 },
    state: "failed",
    message: "MachineConfigPool 'worker' cannot render MachineConfig '99-psi': why",
  },
];

test.each(cases)("$reason", ({ pools, given, renderedOf = unread, state, message }) => {
  expect(rolloutHealth(pools, change(given), renderedOf)).toMatchObject({ state, message });
});
