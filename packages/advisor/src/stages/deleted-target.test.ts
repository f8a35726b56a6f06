import { expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import { ConfigHarness } from "../testing/config-harness.ts";
import { inputRef, machineTarget } from "../testing/small-profile.ts";

/** A plan whose MachineConfig is applied, but not rolled out to the node yet. */
function rollingPlan(): ConfigHarness {
  const harness = new ConfigHarness();
  harness.put(inputRef, { data: { limit: "5" } });
  harness.reconcile();
  harness.reconcile();
  harness.edit({ action: "Apply" });
  harness.behaviour.isRollingOut = false;
  for (let round = 0; round < 8; round += 1) harness.reconcile();
  expect(kernelItem(harness)).toMatchObject({ state: "InProgress", appliedTime: expect.any(String) });
  return harness;
}

const kernelItem = ({ status }: ConfigHarness) =>
  status.items?.find(({ targetRef }) => targetRef.name === machineTarget.name);

test("a deleted target stalls the running plan with two remedies", () => {
  const harness = rollingPlan();
  harness.put(machineTarget, undefined);
  harness.reconcile();
  const { status } = harness;
  const deleted = `MachineConfig '${machineTarget.name}' was deleted by an unknown client (see the API server's audit log)`;
  expect(status.phase).toBe("InProgress");
  expect(kernelItem(harness)).toMatchObject({ state: "InProgress", message: expect.stringContaining(deleted) });
  const stalled = conditionOf(status, "Stalled");
  expect(stalled).toMatchObject({ status: "True", reason: "RolloutStuck" });
  expect(stalled?.message).toContain(deleted);
  expect(stalled?.message).toContain("plan again with: kubectl virt-advisor plan small");
  expect(stalled?.message).toContain("| kubectl apply --server-side --field-manager=virt-advisor-operator-small -f -");
  expect(conditionOf(status, "Reconciling")).toMatchObject({ status: "False", reason: "RolloutStuck" });
});

test("no node counts as updated while the target is deleted", () => {
  const harness = rollingPlan();
  harness.put(machineTarget, undefined);
  harness.behaviour.isRollingOut = true; // the node returns to the config without it
  for (let round = 0; round < 3; round += 1) harness.reconcile();
  expect(harness.status.progress).toBe("stuck: 0/1 nodes");
  expect(harness.status.phase).toBe("InProgress");
});

test("a plan completes after its deleted target is restored", () => {
  const harness = rollingPlan();
  const { desiredState } = kernelItem(harness) ?? {};
  harness.put(machineTarget, undefined);
  harness.reconcile();
  harness.put(machineTarget, desiredState, "virt-advisor-operator-small");
  harness.reconcile();
  expect(conditionOf(harness.status, "Stalled")?.status).toBe("False");
  expect(kernelItem(harness)?.message).not.toContain("deleted");
  harness.behaviour.isRollingOut = true;
  for (let round = 0; round < 4; round += 1) harness.reconcile();
  expect(harness.status.phase).toBe("Completed");
});

test("a new plan ends the wait for a deleted target", () => {
  const harness = rollingPlan();
  harness.put(machineTarget, undefined);
  harness.reconcile();
  harness.edit({ action: "DryRun" });
  for (let round = 0; round < 3; round += 1) harness.reconcile();
  expect(harness.status.phase).toBe("ReviewRequired");
  expect(conditionOf(harness.status, "Stalled")?.status).toBe("False");
});

test("reports the deletion of a target that the plan found in place", () => {
  const harness = new ConfigHarness();
  harness.put(inputRef, { data: { limit: "5" } });
  harness.put(machineTarget, { spec: { kernelArguments: ["a=1"] } });
  harness.edit({ action: "Apply" });
  for (let round = 0; round < 3; round += 1) harness.reconcile();
  expect(kernelItem(harness)).toMatchObject({ state: "Completed", changes: false });
  harness.put(machineTarget, undefined);
  for (let round = 0; round < 4; round += 1) harness.reconcile();
  expect(harness.status.phase).toBe("Drifted");
  expect(kernelItem(harness)?.message).toContain("was deleted by an unknown client");
});
