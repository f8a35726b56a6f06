// A blocker is shown with the ways to remove it, and stopping a VM is never the first of them.

import { expect, test } from "vitest";
import { blockerRemedies } from "./blocker-remedies.ts";

const vm = {
  kind: "VirtualMachineInstance",
  namespace: "vms",
  name: "pinned-0",
  reason: "DisksNotLiveMigratable",
} as const;
const pod = { kind: "Pod", namespace: "shop", name: "db-0", reason: "PodDisruptionBudget" } as const;

test.each([vm, { ...vm, reason: "NoTargetNode" }, pod, { ...pod, reason: "TwoBudgets" }])(
  "the most harmful way comes last and names its consequence: $kind $reason",
  (entry) => {
    const remedies = blockerRemedies(entry);
    expect(remedies.length).toBeGreaterThan(1);
    expect(remedies.at(-1)?.text).toMatch(/^(Stop the VM|Delete the pod)/);
    expect(remedies.slice(0, -1).some(({ text }) => /^(Stop|Delete)/.test(text))).toBe(false);
    expect(remedies.every(({ consequence }) => consequence.length > 0)).toBe(true);
  },
);

test("the command names the object", () => {
  expect(blockerRemedies(vm).at(-1)?.command).toBe("virtctl stop pinned-0 -n vms");
});

test("a name that is not one becomes no part of a command", () => {
  const hostile = { ...vm, name: "a; rm -rf /" };
  expect(blockerRemedies(hostile).flatMap(({ command }) => command ?? [])).toEqual([]);
});
