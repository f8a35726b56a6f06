import { at } from "@virt/objects";
import { expect, test } from "vitest";
import {
  fault,
  higherDensity,
  loadAware,
  paths,
  readAt,
  removeAt,
  untilPoolRests,
  writesOf,
} from "../support/advisor.ts";
import { createMachineConfig } from "../support/advisor-objects.ts";
import {
  applyToPausedPool,
  densityItem,
  deschedulerItem,
  overcommitOf,
  pauseWorkers,
  psiMachineConfig,
  swapItem,
  unpauseWorkers,
  useAdvisor,
  withoutPsi,
} from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const worker = paths.pool("worker");
const ready = "MachineConfigPool 'worker' is ready (all 3 nodes updated)";

const advisor = useAdvisor({ scenario: "no-vms" });

test("disabling PSI deletes the MachineConfig, and waits until no pool renders it", async () => {
  const { configs, server } = advisor();
  await configs.complete(loadAware);

  await configs.edit(loadAware, { action: "DryRun", options: withoutPsi });
  const reviewed = await configs.until(loadAware, ({ phase, items = [] }) => {
    return phase === "ReviewRequired" && items.some(({ operation }) => operation === "Delete");
  });
  expect(reviewed.items?.map(({ name }) => name)).toEqual([deschedulerItem, "disable-psi-metrics"]);
  const removal = itemOf(reviewed, "disable-psi-metrics");
  expect(removal.message).toBe("MachineConfig '99-worker-psi-karg' will be deleted to disable PSI metrics");
  expect([removal.impactSeverity, reviewed.impactSeverity]).toEqual(["High", "High"]);
  expect(removal.diff).toMatch(/^--- 99-worker-psi-karg \(MachineConfig\)\n\+\+\+ \/dev\/null\n/);

  await fault(server, worker, ["render-delay", "9000h"]);
  await configs.edit(loadAware, { action: "Apply" });
  const still = "MachineConfigPool 'worker' still renders MachineConfig '99-worker-psi-karg'";
  const waiting = await configs.until(loadAware, ({ items = [] }) => items.some(({ message }) => message === still));
  expect([waiting.phase, itemOf(waiting, "disable-psi-metrics").state]).toEqual(["InProgress", "InProgress"]);
  expect(await readAt(server, paths.psi)).toBeUndefined();
  await fault(server, worker, ["render-delay", null]);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, "disable-psi-metrics")).toMatchObject({ state: "Completed", message: ready });
});

test("keeps another client's MachineConfig, and reports that in the plan", async () => {
  const { configs, server } = advisor();
  await createMachineConfig(server, psiMachineConfig, ["psi=1"]);
  await untilPoolRests(server, psiMachineConfig, true);

  const writes = writesOf(server).length;
  await configs.edit(loadAware, { options: { loadAware: { enablePSIMetrics: false, mode: "Predictive" } } });
  const completed = await configs.until(
    loadAware,
    ({ phase, appliedOptions }) => phase === "Completed" && appliedOptions?.["loadAware"]?.["mode"] === "Predictive",
  );
  expect(completed.items?.map(({ name }) => name)).toEqual([deschedulerItem]);
  expect(itemOf(completed, deschedulerItem).warnings).toContain(
    "MachineConfig '99-worker-psi-karg' was not created by virt-advisor-operator and is left in place",
  );
  expect(writesOf(server).slice(writes)).toEqual(["patch kubedeschedulers/cluster"]);
  expect(await readAt(server, paths.psi)).toBeDefined();
  await configs.remove(loadAware);
  await removeAt(server, paths.psi);
  await untilPoolRests(server, psiMachineConfig, false);
});

test("overcommits memory only after adding swap, and removes swap only after the overcommit", async () => {
  const { configs, server } = advisor();
  const before = await overcommitOf(server);
  const waiting = await applyToPausedPool(advisor(), higherDensity);
  expect(itemOf(waiting, densityItem)).toMatchObject({ state: "Pending", message: `Waiting for item '${swapItem}'` });
  expect(await overcommitOf(server)).toBe(before);
  await unpauseWorkers(server);
  const dense = await configs.until(higherDensity, "Completed");
  expect(dense.items?.map(({ message }) => message)).toEqual([
    `${ready}; swap is active on 3 of 3 nodes`,
    "Applied successfully",
  ]);
  expect(await overcommitOf(server)).toBe(150);

  const writes = writesOf(server).length;
  await configs.edit(higherDensity, { options: { virtHigherDensity: { enableSwap: false } } });
  const sparse = await configs.until(
    higherDensity,
    ({ phase, items = [] }) => phase === "Completed" && items[1]?.operation === "Delete",
  );
  expect(writesOf(server).slice(writes)).toEqual([
    "patch hyperconvergeds/kubevirt-hyperconverged",
    "delete machineconfigs/90-worker-kubelet-swap",
  ]);
  expect(sparse.items?.map(({ message }) => message)).toEqual(["Applied successfully", ready]);
  expect(itemOf(sparse, densityItem).warnings).toEqual(["KSM will be disabled"]);
  expect(at(await readAt(server, paths.hco), "spec", "ksmConfiguration", "nodeLabelSelector")).toBeUndefined();
  expect(await overcommitOf(server)).toBe(120);
  await configs.remove(higherDensity);
});

test("does not overcommit memory if swap fails, even with failurePolicy Continue", async () => {
  const { configs, server } = advisor();
  const before = await overcommitOf(server);
  await pauseWorkers(server);
  await configs.create(higherDensity, { action: "Apply", failurePolicy: "Continue", waitTimeout: "1s" });
  const withErrors = await configs.until(higherDensity, "CompletedWithErrors");
  expect(withErrors.items?.map(({ state }) => state)).toEqual(["Failed", "Failed"]);
  expect(itemOf(withErrors, densityItem).message).toBe(`Not applied: item '${swapItem}' failed`);
  await unpauseWorkers(server);
  await untilPoolRests(server, "90-worker-kubelet-swap", true);
  expect(await overcommitOf(server)).toBe(before);
  expect((await configs.status(higherDensity)).phase).toBe("CompletedWithErrors");

  await configs.reapprove(higherDensity);
  expect(await overcommitOf(server)).toBe(150);
});
