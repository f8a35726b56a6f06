// A hand-over from the advisor reboots nothing: the platform controller waits until the user sets the switch again.

import { expect, test } from "vitest";
import { accountName } from "../support/account.ts";
import { higherDensity as density, paths } from "../support/advisor.ts";
import { shareBothOperators } from "../support/both-operators.ts";
import { runCommand } from "../support/platform-cluster.ts";
import { objectPaths } from "../support/running-platform.ts";

const { swap, governance } = objectPaths;
const rollback = { action: "Apply", options: { virtHigherDensity: { enableSwap: false } } };
const both = shareBothOperators();

const recorded = async () => (await both.read(governance))["data"] as Readonly<Record<string, string>> | undefined;
const recordSays = (text: string) =>
  both.until(async () => expect((await recorded())?.["governance.json"]).toContain(text));
const explained = async () =>
  (await runCommand("explain", "swap-enable", `--kubeconfig=${both.server.kubeconfig}`)).stdout;
const swapWrites = () =>
  both.server
    .audit()
    .filter(
      ({ user, verb, requestURI }) =>
        user.username === accountName("platform") && verb !== "get" && requestURI.startsWith(`${swap}?`),
    );

async function approve(): Promise<void> {
  await both.configs.edit(density, { action: "Apply", options: null });
  await both.configs.until(density, ({ executedGeneration }) => executedGeneration !== undefined);
  await both.annotate({ "virt-platform-operator": "swap-enable" });
  await both.configs.until(density, "Completed");
}

async function takeBack(): Promise<void> {
  await both.configs.edit(density, rollback);
  await both.configs.until(density, (status) => status.phase === "Completed" && status.items?.length !== 0);
  await both.until(async () => expect(await both.statusOf(paths.swap)).toBe(404));
  await both.configs.until(density, "Completed");
}

/** The controller answers a hand-over in one of these two ways. */
async function handedOver(): Promise<void> {
  await both.until(async () => {
    const isReported = (await both.events("ReleasedByPlan")).length > 0;
    expect(isReported || (await both.statusOf(swap)) === 200).toBe(true);
  });
}

test("does not apply the asset after the plan is rolled back and ignored", async () => {
  await both.configs.until(density, "Ignored");
  await approve();
  await both.until(async () => expect(await both.events("GovernedByPlan")).not.toEqual([]));
  expect(await both.statusOf(swap)).toBe(404);
  await takeBack();
  await both.configs.edit(density, { action: "Ignore" });
  await both.configs.until(density, "Ignored");
  await handedOver();
  expect(await both.statusOf(swap)).toBe(404);
  await recordSays('"released":{"swap-enable"');
});

test("event and explain name the plan and the command that applies the asset", async () => {
  const ask =
    "kubectl annotate hco kubevirt-hyperconverged -n openshift-cnv platform.kubevirt.io/enable-swap=true --overwrite";
  const [reports] = await both.events("ReleasedByPlan");
  expect(reports?.note).toContain(`VirtPlatformConfig ${density} managed it until it was ignored or deleted`);
  expect(reports?.note).toContain(`Next: to apply the asset, which reboots nodes, run ${ask}`);
  const text = await explained();
  expect(text).toContain("EXCLUDED, ReleasedByPlan");
  expect(text).toContain(`set its switch again, which reboots nodes: ${ask}`);
});

test("neither a restart nor a removed annotation applies the asset", async () => {
  const before = (await recorded())?.["governance.json"];
  await both.platform.kill();
  both.startPlatform();
  await both.annotate({ "virt-platform-operator": "swap-enable,node-health-check" });
  await both.annotate({ "virt-platform-operator": null });
  await both.until(async () => expect((await recorded())?.["governance.json"]).not.toBe(before));
  expect(await both.statusOf(swap)).toBe(404);
  expect(swapWrites()).toEqual([]);
});

test("applies the asset if its switch is set after the hand-over", async () => {
  await both.annotate({ "virt-platform-operator": "swap-enable" });
  await both.until(async () => expect(await both.statusOf(swap)).toBe(200));
  await both.until(async () => expect(await explained()).toContain("INCLUDED"));
});

test("a plan deleted while the controller is down releases its objects", async () => {
  await both.annotate({ "enable-swap": "false", prune: "true" });
  await both.until(async () => expect(await both.statusOf(swap)).toBe(404));
  await both.annotate({ "enable-swap": null, prune: null, "virt-platform-operator": null });
  await both.configs.edit(density, { action: "Apply", options: null });
  await both.configs.until(density, ({ executedGeneration }) => executedGeneration !== undefined);
  await both.annotate({ "virt-platform-operator": "swap-enable" });
  await recordSays(`"governed":{"swap-enable":"${density}"}`);
  await both.configs.until(density, "Completed");
  await takeBack();
  await both.platform.kill();
  await both.configs.remove(density);
  const writes = swapWrites().length;
  both.startPlatform();
  await recordSays('"released":{"swap-enable"');
  await both.until(async () => expect(await explained()).toContain("ReleasedByPlan"));
  expect(await both.statusOf(swap)).toBe(404);
  expect(swapWrites()).toHaveLength(writes);
});
