import { expect, test } from "vitest";
import { blockerRemedies, findingRemedies, remediesText } from "./remedies.ts";

const vm = {
  kind: "VirtualMachineInstance",
  namespace: "vms",
  name: "pinned-0",
  reason: "DisksNotLiveMigratable",
} as const;
const pod = { kind: "Pod", namespace: "shop", name: "db-0", reason: "PodDisruptionBudget" } as const;

test.each([vm, { ...vm, reason: "NoTargetNode" }, pod, { ...pod, reason: "TwoBudgets" }])(
  "the most harmful option comes last with its consequence: $kind $reason",
  (entry) => {
    const remedies = blockerRemedies(entry);
    expect(remedies.length).toBeGreaterThan(1);
    expect(remedies.at(-1)?.text).toMatch(/^(Stop the VM|Delete the pod)/);
    expect(remedies.slice(0, -1).some(({ text }) => /^(Stop|Delete)/.test(text))).toBe(false);
    expect(remedies.every(({ consequence }) => consequence.length > 0)).toBe(true);
  },
);

test("the command contains the object's name", () => {
  expect(blockerRemedies(vm).at(-1)?.command).toBe("virtctl stop pinned-0 -n vms");
});

test("omits commands for unsafe names", () => {
  const hostile = { ...vm, name: "a; rm -rf /" };
  expect(blockerRemedies(hostile).flatMap(({ command }) => command ?? [])).toEqual([]);
});

const vmFinding = {
  id: "VMNotMigratable",
  object: { kind: "VirtualMachineInstance", namespace: "vms", name: "pinned-0" },
} as const;

test("a finding and the impact have the same options", () => {
  expect(findingRemedies(vmFinding)).toEqual(blockerRemedies(vm));
  expect(findingRemedies({ ...vmFinding, id: "VMNoTarget" })).toEqual(
    blockerRemedies({ ...vm, reason: "NoTargetNode" }),
  );
});

test("stopping a VM is the last option and warns of downtime", () => {
  const text = remediesText(findingRemedies(vmFinding)) ?? "";
  expect(text).toMatch(/\(1\) Make the VM live-migratable.*\(2\) .*\(3\) Stop the VM/);
  expect(text).toMatch(/The VM is down until you start it again\. Command: virtctl stop pinned-0 -n vms$/);
});

test("resuming a paused pool warns about other pending changes", () => {
  const command = `oc patch mcp worker --type merge -p '{"spec":{"paused":false}}'`;
  const remedies = findingRemedies({ id: "PoolPaused", object: { kind: "MachineConfigPool", name: "worker" } });
  expect(remedies.at(-1)).toMatchObject({
    command,
    consequence: expect.stringContaining("All pending changes of the pool start to roll out"),
  });
});

test("a finding with a harmless command has no options", () => {
  expect(findingRemedies({ id: "DrainSlow", object: { kind: "Node", name: "w-0" } })).toEqual([]);
  expect(remediesText([])).toBeUndefined();
});
