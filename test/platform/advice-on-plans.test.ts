// Follows explain's advice for an asset that a plan governs or has released.
// @module-tag thorough

import { beforeAll, expect, test } from "vitest";
import { higherDensity } from "../support/advisor.ts";
import { shareBothOperators } from "../support/both-operators.ts";
import { objectPaths } from "../support/running-platform.ts";
import { type AdviceStep, explainAsset, followAdvice } from "./follow-advice.ts";

const both = shareBothOperators();
beforeAll(() => both.configs.until(higherDensity, "Ignored"));

const explain = () => explainAsset("swap-enable", both.server.kubeconfig);
const untilExcluded = (reason: string) => both.until(async () => expect(await explain()).toMatchObject({ reason }));
const isSwapApplied = async () => (await both.statusOf(objectPaths.swap)) === 200;

async function paste(commands: string): Promise<void> {
  for (const command of commands.split(" && ")) {
    const [program, ...args] = command.split(" ");
    expect(program).toBe("kubectl");
    const { code, stderr } = await both.server.kubectl(...args);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  }
}

const ignore = (name: string) => both.configs.edit(name, { action: "Ignore" });

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

async function approvePlan(): Promise<void> {
  await both.configs.edit(higherDensity, { action: "Apply" });
  await both.configs.until(higherDensity, "Completed");
  await both.annotate({ "virt-platform-operator": "swap-enable" });
  await untilExcluded("GovernedByPlan");
  expect(await isSwapApplied()).toBe(false);
}

test("following explain's advice applies an asset that a plan governs", async () => {
  await approvePlan();
  expect(await followAdvice(explain, steps)).toEqual(["GovernedByPlan", "AlreadyProvided"]);
  await both.until(async () => expect(await isSwapApplied()).toBe(true));
});

test("following explain's advice applies an asset that a plan has released", async () => {
  await both.annotate({ "enable-swap": "false", prune: "true" });
  await both.until(async () => expect(await isSwapApplied()).toBe(false));
  await both.annotate({ "enable-swap": null, prune: null, "virt-platform-operator": null });
  await approvePlan();
  await ignore(higherDensity);
  await untilExcluded("ReleasedByPlan");
  expect(await isSwapApplied()).toBe(false);
  expect(await followAdvice(explain, steps)).toEqual(["ReleasedByPlan", "AlreadyProvided"]);
  await both.until(async () => expect(await isSwapApplied()).toBe(true));
});
