import type { Item, KubeObject, PendingRollout } from "@virt/api";
import { type PoolProgress, roleLabel } from "@virt/cluster";
import { describe, expect, test } from "vitest";
import type { PlannedItem } from "../profile.ts";
import { kernelObject, reconcileFacts, workerPoolObject } from "../testing/facts-fixtures.ts";
import {
  appliedItem,
  begunItem,
  deschedulerItem,
  doneItem,
  health,
  observedItem,
  psi,
  removal,
} from "../testing/observed-fixtures.ts";
import { machineTarget } from "../testing/small-profile.ts";
import {
  nodeProgress,
  observeRollouts,
  pendingRollouts,
  rolloutOf,
  rolloutProblem,
  withNodeReport,
} from "./rollouts.ts";

const pools = ["worker", "master"].map(
  (name): KubeObject => ({
    apiVersion: machineTarget.apiVersion,
    kind: "MachineConfigPool",
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
      machineConfigSelector: { matchLabels: { [roleLabel]: name } },
    },
  }),
);
const node = (name: string, role: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { [`node-role.kubernetes.io/${role}`]: "" } },
});
const { apiVersion, kind, name } = machineTarget;
const planned: PlannedItem = {
  name: "kernel",
  message: "",
  target: machineTarget,
  managedFields: [],
  warnings: [],
  operation: "Apply",
  desired: { apiVersion, kind, metadata: { name, labels: { [roleLabel]: "worker" } } },
  impact: { create: "High", change: "High" },
  reportOn: (nodes) => `seen on ${nodes.map(({ metadata }) => metadata.name).join(", ")}`,
};
const anItem: Item = {
  name: "kernel",
  operation: "Apply",
  targetRef: machineTarget,
  impactSeverity: "High",
  changes: true,
  diff: "",
  state: "InProgress",
  message: "",
};
const vmNodes = [node("worker-0", "worker"), node("master-0", "master")];

test("a finished rollout reports the outcome on the nodes of its pools", () => {
  const { reportOn: _report, ...silent } = planned;
  const cases = [
    withNodeReport(health("done", "P is ready"), planned, { vmNodes, pools }),
    withNodeReport(health("waiting", "P is updating"), planned, { vmNodes, pools }),
    withNodeReport(health("done", "P is ready"), planned, { pools }),
    withNodeReport(health("done", "P is ready"), planned, { vmNodes: vmNodes.slice(1), pools }),
    withNodeReport(health("done", "P is ready"), silent, { vmNodes, pools }),
  ];
  expect(cases.map((one) => one?.message)).toEqual([
    "P is ready; seen on worker-0",
    "P is updating",
    "P is ready",
    "P is ready",
    "P is ready",
  ]);
  expect(withNodeReport(undefined, planned, { vmNodes, pools })).toBeUndefined();
});

test("an existing MachineConfig waits for new content, a new one for its listing", () => {
  const labels = { [roleLabel]: "worker" };
  const config = (argument: string): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name, labels },
    spec: { kernelArguments: [argument] },
  });
  const configuration = { name: "rendered-1", source: [{ name }] };
  const counts = { machineCount: 1, updatedMachineCount: 1, readyMachineCount: 1 };
  const worker: KubeObject = {
    ...(pools[0] as KubeObject),
    spec: { ...(pools[0]?.["spec"] as object), configuration },
    status: { ...counts, configuration, conditions: [{ type: "Updated", status: "True" }] },
  };
  const stateOf = (uid: string, rendered: string) => {
    const item = {
      ...anItem,
      desiredState: config("new=1"),
      reviewed: { uid, resourceVersion: "1", hash: "" },
      rollout: { startTime: "2026-01-01T00:00:00Z", before: [{ pool: "worker", configuration: "rendered-1" }] },
    };
    return rolloutOf(item, item.desiredState, { pools: [worker], renderedOf: () => config(rendered), now: 0 })?.state;
  };
  expect(stateOf("was-there", "old=1")).toBe("waiting");
  expect(stateOf("was-there", "new=1")).toBe("done");
  expect(stateOf("", "old=1")).toBe("done");
});

const record: PendingRollout = {
  machineConfig: machineTarget.name,
  startTime: "2027-01-15T07:59:00Z",
  before: [{ pool: "worker", configuration: "rendered-1" }],
};
const seen = (given: Parameters<typeof reconcileFacts>[0]) =>
  observeRollouts(reconcileFacts({ status: { rollouts: [record] }, ...given })).map(({ health: { state } }) => state);

describe("a rollout is", () => {
  const there = [kernelObject()];
  test("done when the pools run the current state", () => {
    expect(seen({ objects: there, pools: [workerPoolObject("rendered-2")] })).toEqual(["done"]);
    expect(seen({ pools: [workerPoolObject("rendered-2", [])] })).toEqual(["done"]);
  });
  test("waiting until a pool renders the change or the removal", () => {
    expect(seen({ objects: there, pools: [workerPoolObject("rendered-1", [])] })).toEqual(["waiting"]);
    expect(seen({ pools: [workerPoolObject("rendered-1")] })).toEqual(["waiting"]);
  });
  test("waiting while a pool has its old target without the change", () => {
    expect(seen({ objects: there, pools: [workerPoolObject("rendered-1")] })).toEqual(["waiting"]);
    expect(seen({ objects: there, pools: [workerPoolObject("rendered-1")], renderedOf: () => kernelObject() })).toEqual(
      ["done"],
    );
  });
  test("done when its pools are deleted", () => {
    expect(seen({ objects: there, pools: [] })).toEqual(["done"]);
  });
  test("done if its write never happened", () => {
    expect(seen({ pools: [workerPoolObject("rendered-1", [])] })).toEqual(["done"]);
  });
});

describe("remembers", () => {
  const rolling = { rollouts: [{ record, health: health("waiting") }] };
  const over = { rollouts: [{ record, health: health("done") }] };
  const names = (items: readonly Item[], from = rolling) =>
    pendingRollouts(from, items, "InProgress").rollouts?.map(({ machineConfig }) => machineConfig);

  test("unfinished rollouts of any plan", () => {
    expect(names([deschedulerItem()])).toEqual([record.machineConfig]);
    expect(names([deschedulerItem()], over)).toBeUndefined();
  });
  test("rollouts of begun and applied MachineConfigs, not of completed ones", () => {
    for (const item of [begunItem(psi()), appliedItem(psi()), begunItem(removal())])
      expect(names([item], over)).toEqual([psi().targetRef.name]);
    expect(names([begunItem(deschedulerItem()), psi(), doneItem(psi())], over)).toBeUndefined();
  });
  test("each MachineConfig once, with all its pools", () => {
    const mine = { ...record, machineConfig: psi().targetRef.name, before: [{ pool: "infra", configuration: "i" }] };
    const both = { rollouts: [...rolling.rollouts, { record: mine, health: health("waiting") }] };
    const { rollouts = [] } = pendingRollouts(both, [begunItem(psi())], "InProgress");
    expect(rollouts.map(({ machineConfig, before }) => [machineConfig, before.map(({ pool }) => pool)])).toEqual([
      [record.machineConfig, ["worker"]],
      [psi().targetRef.name, ["worker", "infra"]],
    ]);
  });
  test("nothing for an ignored config", () => {
    expect(pendingRollouts(rolling, [begunItem(psi())], "Ignored").rollouts).toBeUndefined();
  });
});

const worker = (updated: number): PoolProgress => ({ pool: "worker", updated, nodes: 12 });
const infra: PoolProgress = { pool: "infra", updated: 1, nodes: 2 };
const rolling = (pools: readonly PoolProgress[], problem?: string) => ({
  rollout: { ...health("waiting"), pools, ...(problem !== undefined && { problem }) },
});

test("progress counts each pool once, by its slowest item", () => {
  const items = [
    observedItem(appliedItem(psi()), rolling([worker(6), infra])),
    observedItem(appliedItem(removal()), rolling([worker(4)])),
  ];
  expect(nodeProgress({ items })).toBe("5/14 nodes");
});

test("progress includes a pool that updates again after completion", () => {
  expect(nodeProgress({ items: [observedItem(doneItem(psi()), rolling([worker(11)]))] })).toBe("11/12 nodes");
});

test("pending items and finished rollouts have no progress", () => {
  expect(nodeProgress({ items: [] })).toBeUndefined();
  expect(nodeProgress({ items: [observedItem(doneItem(psi()), { rollout: health("done") })] })).toBeUndefined();
  expect(nodeProgress({ items: [observedItem(psi(), rolling([worker(12)]))] })).toBeUndefined();
});

test("reports a problem once for several items of a running plan", () => {
  const problem =
    "MachineConfigPool 'worker' is degraded (1 of 12 nodes: Node worker-1 is reporting: \"disk is full\")";
  const items = [psi(), removal()].map((item) => observedItem(appliedItem(item), rolling([worker(1)], problem)));
  expect(rolloutProblem({ items })).toBe(problem);
  expect(rolloutProblem({ items: [observedItem(doneItem(psi()), rolling([worker(1)], problem))] })).toBeUndefined();
});
