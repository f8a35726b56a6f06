import { expect, test } from "vitest";
import { itemOf } from "../../world/configs.ts";
import { startWorld } from "../../world/world.ts";
import { edit, loadAware, paths } from "./cluster.ts";

const psi = "enable-psi-metrics";

test("a custom pool that inherits worker is waited for as well", async () => {
  await using world = await startWorld();
  const { configs, server } = world;
  await world.simulate("custom-pool");
  await world.startOperator({ flags: ["--advertise-profiles=false"] });
  await edit(server, paths.pool("infra"), { spec: { paused: true } });
  await configs.create(loadAware, { action: "Apply" });
  const said = /^MachineConfigPool 'infra' is paused \(Updated: \d\/2, Ready: \d\/2\)$/;
  const waiting = await configs.until(loadAware, ({ items = [] }) => items.some(({ message }) => said.test(message)));
  expect([waiting.phase, itemOf(waiting, psi).state]).toEqual(["InProgress", "InProgress"]);
  expect(itemOf(waiting, psi).warnings).toEqual(["MachineConfigPool 'infra' is paused"]);

  await edit(server, paths.pool("infra"), { spec: { paused: false } });
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psi).message).toBe(
    "MachineConfigPool 'worker' is ready (all 2 nodes updated); MachineConfigPool 'infra' is ready (all 2 nodes updated)",
  );
});

test("in a compact cluster the plan warns that no node takes the configuration, and ends", async () => {
  await using world = await startWorld();
  const { configs } = world;
  await world.simulate("compact");
  await world.startOperator({ flags: ["--advertise-profiles=false"] });
  await configs.create(loadAware, { action: "DryRun" });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(reviewed, psi).warnings).toEqual([
    "MachineConfigPool 'worker' has no machines; no node takes this configuration",
  ]);
  await configs.edit(loadAware, { action: "Apply" });
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psi).message).toBe("MachineConfigPool 'worker' is ready (no nodes in this pool)");
});
