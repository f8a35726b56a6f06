// Follows explain's advice for an asset that a plan governs or has released.
// @module-tag thorough

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { higherDensity } from "../support/advisor.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { type AdviceStep, explainAsset, followAdvice } from "./follow-advice.ts";

const prefix = "platform.kubevirt.io/";
const swap = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/50-virt-swap-enable";
let testCluster: TestCluster;
let platform: RunningProgram;

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.simulate("no-vms");
  await testCluster.startOperator();
  const { kubeconfig } = await operatorAccount(testCluster.server, "platform");
  const flags = ["--controllers=platform", "--activation=opt-in", "--health-probe-bind-address=0"];
  platform = startProgram("virt-operator", [...flags, `--kubeconfig=${kubeconfig}`]);
  await testCluster.configs.until(higherDensity, "Ignored");
});
afterAll(async () => {
  await platform.kill();
  await testCluster[Symbol.asyncDispose]();
});

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 50 });
const explain = () => explainAsset("swap-enable", testCluster.server.kubeconfig);
const untilExcluded = (reason: string) => until(async () => expect(await explain()).toMatchObject({ reason }));
const isSwapApplied = async () => (await testCluster.server.request({ path: swap })).status === 200;

async function paste(commands: string): Promise<void> {
  for (const command of commands.split(" && ")) {
    const [program, ...args] = command.split(" ");
    expect(program).toBe("kubectl");
    const { code, stderr } = await testCluster.server.kubectl(...args);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  }
}

const ignore = (name: string) => testCluster.configs.edit(name, { action: "Ignore" });

const steps: readonly AdviceStep[] = [
  [
    /^set action Ignore on VirtPlatformConfig (\S+), or delete it, then set its switch again, which reboots nodes: (kubectl .*)$/u,
    async (name = "", command = "") => {
      await ignore(name);
      await paste(command);
    },
  ],
  [/^set its switch again, which reboots nodes: (kubectl .*)$/u, (command = "") => paste(command)],
  [
    /^delete MachineConfig (\S+) so that this asset can replace it$/u,
    (name = "") => paste(`kubectl delete machineconfig ${name}`),
  ],
];

const annotate = async (values: Readonly<Record<string, string | null>>) => {
  const annotations = Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}${key}`, value]));
  const body = { metadata: { annotations } };
  expect((await testCluster.server.request({ method: "PATCH", path: hcoPath, body })).status).toBe(200);
};

async function approvePlan(): Promise<void> {
  await testCluster.configs.edit(higherDensity, { action: "Apply" });
  await testCluster.configs.until(higherDensity, "Completed");
  await annotate({ autopilot: "swap-enable" });
  await untilExcluded("GovernedByPlan");
  expect(await isSwapApplied()).toBe(false);
}

test("following explain's advice applies an asset that a plan governs", async () => {
  await approvePlan();
  expect(await followAdvice(explain, steps)).toEqual(["GovernedByPlan", "AlreadyProvided"]);
  await until(async () => expect(await isSwapApplied()).toBe(true));
});

test("following explain's advice applies an asset that a plan has released", async () => {
  await annotate({ "enable-swap": "false", prune: "true" });
  await until(async () => expect(await isSwapApplied()).toBe(false));
  await annotate({ "enable-swap": null, prune: null, autopilot: null });
  await approvePlan();
  await ignore(higherDensity);
  await untilExcluded("ReleasedByPlan");
  expect(await isSwapApplied()).toBe(false);
  expect(await followAdvice(explain, steps)).toEqual(["ReleasedByPlan", "AlreadyProvided"]);
  await until(async () => expect(await isSwapApplied()).toBe(true));
});
