import { expect, test } from "vitest";
import { edit, loadAware, paths } from "../support/advisor.ts";
import { psiItem, startAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

test("waits for a custom pool that inherits from the worker pool", async () => {
  await using advisor = await startAdvisor({ scenario: "custom-pool" });
  const { configs, server } = advisor;
  await edit(server, paths.pool("infra"), { spec: { paused: true } });
  await configs.create(loadAware, { action: "Apply" });
  const said = /^MachineConfigPool 'infra' is paused \(\d of 2 nodes updated(, [^)]*)?\)$/;
  const waiting = await configs.until(loadAware, ({ items = [] }) => items.some(({ message }) => said.test(message)));
  expect([waiting.phase, itemOf(waiting, psiItem).state]).toEqual(["InProgress", "InProgress"]);
  expect(itemOf(waiting, psiItem).warnings).toEqual([
    "Reboots 2 nodes of MachineConfigPool 'worker'",
    "Reboots 2 nodes of MachineConfigPool 'infra', which inherits 'worker', once it is unpaused",
    "MachineConfigPool 'infra' is paused",
  ]);

  await edit(server, paths.pool("infra"), { spec: { paused: false } });
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psiItem).message).toBe(
    "MachineConfigPool 'worker' is ready (all 2 nodes updated); MachineConfigPool 'infra' is ready (all 2 nodes updated)",
  );
});
