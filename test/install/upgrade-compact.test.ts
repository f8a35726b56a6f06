// On a compact cluster the releases plan for different pools: the newer one announces its plan, the older one leaves
// the newer plan unchanged.
// @module-tag thorough

import { conditionOf } from "@virt/advisor";
import type { Status } from "@virt/api";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { higherDensity, printRequestsOnFailure, writesOf } from "../support/advisor.ts";
import { present, previous, type Release } from "../support/install/releases.ts";
import type { RunningProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

let testCluster: TestCluster;
let running: RunningProgram | undefined;

beforeAll(async () => {
  testCluster = await startTestCluster({ release: previous.folder, lacksRights: true });
  await testCluster.simulate("compact", 10_000);
});
afterEach(printRequestsOnFailure(() => testCluster));
afterAll(() => testCluster[Symbol.asyncDispose]());

async function run({ folder: release }: Release): Promise<void> {
  running?.child.kill("SIGTERM");
  await running?.exited;
  await testCluster.install(release);
  running = await testCluster.startOperator({ release, flags: ["--leader-elect", "--advertise-profiles=false"] });
}

async function untilAnnounced(from: Release, to: Release): Promise<void> {
  const announced = await testCluster.configs.until(higherDensity, "CompletedWithUpgrade");
  expect(conditionOf(announced, "CompletedWithUpgrade")?.message).toBe(
    `Operator upgraded from ${from.version} to ${to.version} - profile logic changes detected`,
  );
  expect(announced.operatorVersion).toBe(from.version);
}

async function untilBack({ version }: Release): Promise<void> {
  const isBack = ({ phase, operatorVersion }: Status) => phase === "Completed" && operatorVersion === version;
  expect(await testCluster.configs.until(higherDensity, isBack)).not.toHaveProperty("review");
}

test("announces a changed plan without writes, and withdraws it on downgrade", async () => {
  const { configs, server } = testCluster;
  await run(previous);
  await configs.create(higherDensity, { action: "Apply" });
  await configs.until(higherDensity, "Completed");
  const applied = writesOf(server);
  await run(present);
  await untilAnnounced(previous, present);
  await run(previous);
  await untilBack(previous);
  await run(present);
  await untilAnnounced(previous, present);
  expect(writesOf(server)).toEqual(applied);
}, 360_000);

test("the previous release leaves a plan for control plane nodes unchanged", async () => {
  const { configs, server } = testCluster;
  await configs.edit(higherDensity, { action: "DryRun" });
  await configs.until(higherDensity, "ReviewRequired");
  await configs.edit(higherDensity, { action: "Apply" });
  const adopted = await configs.until(higherDensity, "Completed");
  expect(adopted.items?.map(({ targetRef }) => targetRef.name)).toContain("90-master-kubelet-swap");
  const applied = writesOf(server);

  await run(previous);
  await configs.create("example-profile");
  await configs.until("example-profile", "ReviewRequired");
  expect(await configs.status(higherDensity)).toMatchObject({ phase: "Completed", operatorVersion: present.version });
  await configs.edit(higherDensity, { action: "Ignore" });
  await configs.until(higherDensity, "Ignored");
  await configs.remove(higherDensity);
  await configs.create(higherDensity);
  await configs.until(higherDensity, ({ operatorVersion }) => operatorVersion === previous.version);
  expect(writesOf(server)).toEqual(applied);
}, 360_000);
