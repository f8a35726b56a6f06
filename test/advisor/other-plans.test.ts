import { conditionOf } from "@virt/advisor";
import type { Status } from "@virt/api";
import { beforeAll, expect, test } from "vitest";
import { higherDensity, loadAware } from "../support/advisor.ts";
import { hasPausedItem, pauseWorkers, useAdvisor } from "../support/advisor-suite.ts";
import { runPlugin } from "../support/plugin.ts";

const advisor = useAdvisor({ scenario: "no-vms", flags: [] });
beforeAll(async () => {
  for (const name of [loadAware, higherDensity]) await advisor().configs.until(name, "Ignored");
});

test("two plans for one pool name each other in both reviews", async () => {
  const { configs, server } = advisor();
  await configs.edit(loadAware, { action: "DryRun" });
  const { planHash, warnings } = await configs.until(loadAware, "ReviewRequired");
  expect(warnings).toBeUndefined();
  await configs.edit(higherDensity, { action: "DryRun" });
  const warned = ({ phase, warnings: shown = [] }: Status) => phase === "ReviewRequired" && shown.length > 0;
  const [first, second] = [await configs.until(loadAware, warned), await configs.until(higherDensity, warned)];
  const text = (other: string) =>
    `VirtPlatformConfig '${other}' also changes MachineConfigPool 'worker'. If the plans run one after the other, nodes reboot twice. If you approve both plans together, only nodes that have already started reboot twice.`;
  expect([first.warnings, second.warnings]).toEqual([[text(higherDensity)], [text(loadAware)]]);
  expect(first.planHash).toBe(planHash);
  expect((await runPlugin(["plan", loadAware], server)).out).toContain(`! ${text(higherDensity)}`);

  await configs.edit(higherDensity, { action: "Ignore" });
  const alone = await configs.until(loadAware, ({ warnings: shown }) => shown === undefined);
  expect(alone).toMatchObject({ phase: "ReviewRequired", planHash });
});

test("re-creates a config deleted during its rollout, and lists its objects and rollout", async () => {
  const { configs, server } = advisor();
  expect((await configs.status(loadAware)).leftBehind).toBeUndefined();
  // A paused pool keeps the asserted state.
  await pauseWorkers(server);
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, hasPausedItem);
  await configs.remove(loadAware);
  const status = await configs.until(loadAware, ({ leftBehind = [] }) => leftBehind.length > 0);
  expect(status.phase).toBe("Ignored");
  expect(status.leftBehind).toMatchObject([
    { kind: "MachineConfig", name: "99-worker-psi-karg" },
    { kind: "KubeDescheduler", namespace: "openshift-kube-descheduler-operator", name: "cluster" },
  ]);
  expect(conditionOf(status, "Ready")?.message).toContain("left behind: MachineConfig '99-worker-psi-karg', ");

  const shown = await runPlugin(["status"], server);
  expect(shown.out).toMatch(
    /Pool worker is paused with a pending update: .*Cause: MachineConfig 99-worker-psi-karg, left in place by a plan of load-aware-rebalancing/,
  );
  expect(shown.out).toContain("Left in place by an earlier plan: MachineConfig '99-worker-psi-karg', KubeDescheduler");
  expect((await runPlugin(["profiles"], server)).out).toContain("Ignored (2 objects left in place)");
});
