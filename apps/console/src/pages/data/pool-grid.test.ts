import { expect, test } from "vitest";
import { gridOf } from "./pool-grid.ts";

test("shows a repeated reason of a degraded pool once", () => {
  const message =
    'Node worker-0 is reporting: "Node worker-0 upgrade failure. disk is full", Node worker-0 is reporting: "disk is full"';
  const conditions = ["NodeDegraded", "Degraded"].map((type) => ({ type, status: "True", message }));
  const role = { "node-role.kubernetes.io/worker": "" };
  const pool = {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name: "worker" },
    spec: { nodeSelector: { matchLabels: role } },
    status: { conditions },
  };
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "worker-0", labels: role } };
  const [shown] = gridOf({
    nodes: [node],
    pools: [pool],
    machineConfigNodes: [],
    vms: [],
    unrendered: new Set(),
  });
  expect(shown?.degraded).toEqual(['Node worker-0 is reporting: "disk is full"']);
});
