import type { JsonMap, KubeObject } from "@virt/api";
import { roleLabel } from "@virt/cluster";
import { expect, test } from "vitest";
import { poolWarnings } from "./pool-warnings.ts";

const api = "machineconfiguration.openshift.io/v1";
const machineConfig = (role: string): KubeObject => ({
  apiVersion: api,
  kind: "MachineConfig",
  metadata: { name: "99-x", labels: { [roleLabel]: role } },
});

function pool(name: string, machines: number, more: { spec?: JsonMap; status?: JsonMap } = {}): KubeObject {
  const values = name === "worker" || name === "master" ? [name] : ["worker", name];
  const machineConfigSelector = { matchExpressions: [{ key: roleLabel, operator: "In", values }] };
  return {
    apiVersion: api,
    kind: "MachineConfigPool",
    metadata: { name },
    spec: { machineConfigSelector, ...more.spec },
    status: { machineCount: machines, ...more.status },
  };
}

const paused = { spec: { paused: true } };
const updating = { status: { updatedMachineCount: 1, conditions: [{ type: "Updating", status: "True" }] } };

const cases: readonly {
  reason: string;
  pools: readonly KubeObject[];
  role?: string;
  changes?: boolean;
  warnings: readonly string[];
}[] = [
  {
    reason: "counts the nodes that reboot",
    pools: [pool("master", 3), pool("worker", 12)],
    warnings: ["Reboots 12 nodes of MachineConfigPool 'worker'"],
  },
  {
    reason: "a pool that inherits worker reboots too",
    pools: [pool("infra", 2), pool("worker", 3)],
    warnings: [
      "Reboots 3 nodes of MachineConfigPool 'worker'",
      "Reboots 2 nodes of MachineConfigPool 'infra', which inherits 'worker'",
    ],
  },
  {
    reason: "a master MachineConfig reboots only the control plane",
    pools: [pool("master", 1), pool("worker", 0), pool("infra", 2)],
    role: "master",
    warnings: ["Reboots 1 node of MachineConfigPool 'master'"],
  },
  {
    reason: "omits a pool without machines",
    pools: [pool("worker", 3), pool("infra", 0)],
    warnings: ["Reboots 3 nodes of MachineConfigPool 'worker'"],
  },
  {
    reason: "reports a pool that is already updating",
    pools: [pool("worker", 3, updating)],
    warnings: [
      "Reboots 3 nodes of MachineConfigPool 'worker'",
      "MachineConfigPool 'worker' is already updating (1 of 3 nodes updated)",
    ],
  },
  {
    reason: "reports a paused pool, whose nodes wait",
    pools: [pool("worker", 3), pool("infra", 2, paused)],
    warnings: [
      "Reboots 3 nodes of MachineConfigPool 'worker'",
      "Reboots 2 nodes of MachineConfigPool 'infra', which inherits 'worker', once it is unpaused",
      "MachineConfigPool 'infra' is paused",
    ],
  },
  {
    reason: "reports a paused pool even if nothing changes",
    pools: [pool("worker", 3, paused)],
    changes: false,
    warnings: ["MachineConfigPool 'worker' is paused"],
  },
  { reason: "ignores a pool that does not take the MachineConfig", pools: [pool("master", 3, paused)], warnings: [] },
  { reason: "without pools, reports none", pools: [], warnings: [] },
];

test.each(cases)("$reason", ({ pools, role = "worker", changes = true, warnings }) => {
  expect(poolWarnings(pools, machineConfig(role), changes)).toEqual(warnings);
});
