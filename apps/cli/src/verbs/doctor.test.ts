import type { RolloutStatus } from "@virt/api";
import type { ClusterDiagnosis } from "@virt/reads";
import { expect, test } from "vitest";
import { renderBlocks } from "../testing/render-blocks.ts";
import { diagnosisBlocks, diagnosisData, exitCodeOfDiagnosis } from "./doctor.ts";

const now = Date.parse("2026-11-18T10:00:00Z");
const rollout: RolloutStatus = {
  summary: "",
  pools: [{ name: "worker", total: 3, done: 3, inHand: 0, waiting: 0, degraded: 0 }],
  nodes: [],
  findings: [],
  more: { pools: 0, nodes: 0, findings: 0 },
};
const healthy: ClusterDiagnosis = { rollout, young: [], pools: ["worker"], notAssessed: [] };
const gap = (kind: string, reason: string) => ({ kind, reason, message: "" });

const printed = (diagnosis: ClusterDiagnosis) => renderBlocks(diagnosisBlocks(diagnosis, now));

test("doctor reports all clear if every input was checked", () => {
  expect(exitCodeOfDiagnosis(healthy)).toBe(0);
  expect(printed(healthy)).toContain("Nothing is blocking the pools.");
});

test("a recent cause prevents all clear, but exits with 0", () => {
  const cause = { id: "PodBudget", severity: "blocking", message: "Pod a/b", since: "2026-11-18T09:59:50Z" } as const;
  const diagnosis = { ...healthy, young: [cause] };
  expect(exitCodeOfDiagnosis(diagnosis)).toBe(0);
  expect(printed(diagnosis)).not.toContain("Nothing is blocking");
  expect(printed(diagnosis)).toContain("No problem has lasted long enough to be reported as a finding.");
});

test.each(["Forbidden", "TooMany", "Unavailable"])(
  "doctor exits with 7 and reports no all clear if VMs are %s",
  (reason) => {
    const diagnosis = { ...healthy, notAssessed: [gap("VirtualMachineInstance", reason), gap("Node", reason)] };
    expect(exitCodeOfDiagnosis(diagnosis)).toBe(7);
    expect(printed(diagnosis)).not.toContain("Nothing is blocking");
    expect(printed(diagnosis)).toContain("Found no blocking cause, but could not check: VirtualMachineInstance, Node.");
  },
);

test("a blocking finding exits with 6 despite unchecked inputs", () => {
  const finding = { id: "PoolPaused", severity: "blocking", message: "", since: "2026-11-18T09:00:00Z" } as const;
  const blocked = { ...healthy, rollout: { ...rollout, findings: [finding] } };
  expect(exitCodeOfDiagnosis({ ...blocked, notAssessed: [gap("Node", "Forbidden")] })).toBe(6);
});

const blockingVm = {
  id: "VMNotMigratable",
  severity: "blocking",
  object: { kind: "VirtualMachineInstance", namespace: "vms", name: "pinned-0" },
  message: "VM vms/pinned-0 blocks the drain",
  command: "oc describe virtualmachineinstance pinned-0 -n vms",
  since: "2026-11-18T09:00:00Z",
} as const;

test("the JSON lists the options of a blocking VM, stopping it last", () => {
  const { command } = blockingVm;
  const withOptions = {
    command,
    options: [
      { text: expect.stringMatching(/^Make the VM live-migratable/u) },
      { text: expect.stringMatching(/^Set the VM's eviction strategy/u) },
      { command: "virtctl stop pinned-0 -n vms", consequence: "The VM is down until you start it again." },
    ],
  };
  const single = { ...blockingVm, id: "MigrationFailing" } as const;
  const data = diagnosisData({
    ...healthy,
    rollout: { ...rollout, findings: [blockingVm, single] },
    young: [blockingVm],
  });
  expect(data).toMatchObject({ rollout: { findings: [withOptions, single] }, young: [withOptions] });
  expect(data.rollout.findings[1]).toEqual(single);
});

test("prints the options of a blocking VM once, stopping it last", () => {
  const text = printed({ ...healthy, rollout: { ...rollout, findings: [blockingVm] } });
  expect(text).toMatch(/Options, least disruptive first:\n\s+1\. Make the VM live-migratable/);
  expect(text).toMatch(/3\. Stop the VM[^\n]*down until you start it again\.\n\s+virtctl stop pinned-0 -n vms\n/);
  expect(text.match(/virtctl stop/g)).toHaveLength(1);
});

test("doctor reports a cluster without pools", () => {
  const none = { ...healthy, rollout: { ...rollout, pools: [] }, pools: [] };
  expect(printed(none)).toBe("  This cluster has no MachineConfigPools.\n");
});

test("doctor exits with 1 without access to pools, and 0 without the operator", () => {
  expect(exitCodeOfDiagnosis({ ...healthy, pools: [], notAssessed: [gap("MachineConfigPool", "Forbidden")] })).toBe(1);
  expect(exitCodeOfDiagnosis({ ...healthy, pools: [], notAssessed: [gap("MachineConfigPool", "NotServed")] })).toBe(0);
});
