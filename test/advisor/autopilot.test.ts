// Plans for objects that virt-platform-autopilot manages. The simulated autopilot always forces its applies.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { conditionOf } from "@virt/advisor";
import type { Status } from "@virt/api";
import { at } from "@virt/objects";
import { expect, test } from "vitest";
import {
  edit,
  eventsAbout,
  higherDensity,
  loadAware,
  paths,
  readAt,
  reasonsAbout,
  untilPoolRests,
  writesOf,
} from "../support/advisor.ts";
import { deschedulerItem, overcommitOf, swapItem, useAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const theirs = "virt-platform-autopilot";
const mode = "platform.kubevirt.io/mode";
const scenario = {
  nodes: [{ name: "worker", count: 2, roles: ["worker"], cpus: 4, memoryGiB: 16 }],
  pools: [{ name: "worker" }],
  vms: [],
  hco: { namespace: "openshift-cnv" },
  descheduler: { namespace: "openshift-kube-descheduler-operator" },
  autopilot: true,
};

const advisor = useAdvisor({
  prepare: async ({ server, simulate }) => {
    const file = join(server.folder, "autopilot.json");
    writeFileSync(file, JSON.stringify(scenario));
    await simulate(file);
  },
});

const options = { loadAware: { enablePSIMetrics: false, deschedulingIntervalSeconds: 120 } };
const reason = `KubeDescheduler 'cluster' is managed by ${theirs}, which reverts this change`;
const command = `kubectl annotate kubedescheduler cluster -n openshift-kube-descheduler-operator ${mode}=unmanaged`;

async function interval(): Promise<unknown> {
  return at(await readAt(advisor().server, paths.descheduler), "spec", "deschedulingIntervalSeconds");
}
const deschedulerWrites = () => writesOf(advisor().server).filter((write) => write.includes("kubedeschedulers"));
const readyText = (status: Status) => conditionOf(status, "Ready")?.message ?? "";
const runPrinted = (message: string) => advisor().server.kubectl(...(message.split("kubectl ")[1] ?? "").split(" "));
const managerOfDescheduler = async () =>
  (await readAt(advisor().server, paths.descheduler))?.metadata.labels?.["platform.kubevirt.io/managed-by"];
const untilTheirs = async () => {
  await expect.poll(managerOfDescheduler).toBe(theirs);
};

test("F. an approved plan for an object of the autopilot waits until the printed command has run", async () => {
  const { configs, server } = advisor();
  await untilTheirs();
  const draft = await configs.draft(loadAware, { options, bypassOptimisticLock: true });
  const item = itemOf(draft, deschedulerItem);
  expect(item.warnings).toContain(`${reason}. Next: ${command}`);
  expect(item.conflicts?.map(({ field, manager }) => [field, manager])).toContainEqual([
    "spec.deschedulingIntervalSeconds",
    theirs,
  ]);

  await configs.edit(loadAware, { action: "Apply" });
  const held = await configs.until(loadAware, ({ review }) => review?.reason === "ManagedByAutopilot");
  expect(held.phase).toBe("ReviewRequired");
  expect(conditionOf(held, "Ready")).toMatchObject({ status: "False", reason: "ManagedByAutopilot" });
  expect(readyText(held)).toBe(`${reason}. Next: ${command}`);
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("ExecutionHeld");
  expect(deschedulerWrites()).toEqual([]);

  await runPrinted(readyText(held));
  const done = await configs.until(loadAware, "Completed");
  expect(done.planHash).toBe(draft.planHash);
  expect(await interval()).toBe(120);
  expect(itemOf(done, deschedulerItem).warnings ?? []).not.toContain(`${reason}. Next: ${command}`);
  expect(deschedulerWrites()).toHaveLength(1);
});

test("a later takeover is drift, which bypassOptimisticLock does not correct", async () => {
  const { configs, server } = advisor();
  await edit(server, paths.descheduler, { metadata: { annotations: { [mode]: null } } });
  const isStalled = (status: Status) => conditionOf(status, "Stalled")?.reason === "ManagedByAutopilot";
  const drifted = await configs.until(loadAware, isStalled);
  expect(drifted.phase).toBe("Drifted");
  expect(conditionOf(drifted, "Drifted")?.message).toContain(`KubeDescheduler 'cluster' was changed by ${theirs}`);
  expect(readyText(drifted)).toContain(`run: ${command}`);
  await expect
    .poll(async () => (await eventsAbout(server, loadAware)).map(({ note }) => note).join())
    .toContain(`KubeDescheduler 'cluster' was changed by ${theirs}`);
  expect([await interval(), deschedulerWrites().length]).toEqual([60, 1]);

  await runPrinted(readyText(drifted));
  await configs.until(loadAware, "Completed");
  expect([await interval(), deschedulerWrites().length]).toEqual([120, 2]);
});

test("skips swap that the autopilot has enabled, and applies a HyperConverged item", async () => {
  const { configs, server } = advisor();
  await untilPoolRests(server, "90-worker-swap-online", true);
  const draft = await configs.draft(higherDensity);
  expect(itemOf(draft, swapItem)).toMatchObject({
    changes: false,
    message: "Swap is already enabled by MachineConfig '90-worker-swap-online'",
  });
  expect(draft.items?.flatMap(({ warnings = [] }) => warnings).join()).not.toContain(theirs);
  await configs.approve(higherDensity);
  expect(await overcommitOf(server)).toBe(150);
  expect(writesOf(server).filter((write) => write.includes("machineconfigs/"))).toEqual([]);
});

test("skips PSI that the autopilot has enabled", async () => {
  const { configs, server } = advisor();
  await untilPoolRests(server, "99-openshift-machineconfig-worker-psi-karg", true);
  await configs.edit(loadAware, { action: "DryRun", options: { loadAware: { enablePSIMetrics: true } } });
  const draft = await configs.until(
    loadAware,
    ({ items = [], phase }) => phase === "ReviewRequired" && items.length === 2,
  );
  expect(itemOf(draft, "enable-psi-metrics")).toMatchObject({ changes: false });
  expect(await readAt(server, paths.psi)).toBeUndefined();
});
