import { expect, test } from "vitest";
import { itemNameFor, machineConfigFor, refuseWithoutNodes } from "./machine-config.ts";

const config = { nameFor: (role: string) => `99-${role}-x`, spec: {} };

test("names contain the role, except for items of workers", () => {
  expect(machineConfigFor(config, "master").metadata).toEqual({
    name: "99-master-x",
    labels: { "machineconfiguration.openshift.io/role": "master" },
  });
  expect([itemNameFor("enable-x", "worker"), itemNameFor("enable-x", "master")]).toEqual([
    "enable-x",
    "enable-x-master",
  ]);
});

test("refuses a plan that no node would apply", () => {
  expect(refuseWithoutNodes(config, ["master"])).toBeUndefined();
  expect(refuseWithoutNodes(config, [])).toEqual({
    kind: "unfit",
    message:
      "No node would apply MachineConfig '99-worker-x': MachineConfigPool 'worker' has no machines, and no control plane node may run VMs.",
    next: "add workers, or allow VMs on the control plane. The plan is then drafted automatically.",
  });
});
