// The console moves objects from virt-platform-autopilot to our operator and back.

import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AdoptedTestCluster,
  operatorSwitches,
  sharedPaths,
  startAdoptedCluster,
} from "../support/adopted-cluster.ts";
import { expectAccessible } from "./console-page.ts";
import { type OpenedConsole, openConsole } from "./open-console.ts";

const { psi, monitoring, swap } = sharedPaths;
let cluster: AdoptedTestCluster;
let opened: OpenedConsole;

beforeAll(async () => {
  cluster = await startAdoptedCluster();
  opened = await openConsole(cluster.testCluster.server.kubeconfig);
});
afterAll(async () => {
  await opened.end();
  await cluster[Symbol.asyncDispose]();
});

const managers = () => Promise.all([psi, monitoring, swap].map(cluster.managerOf));
const theirs = "virt-platform-autopilot";
const ours = "virt-platform-operator";

test("the dialog shows the reboots of each choice, and moves the objects", async () => {
  const { page, open } = opened;
  await open("assets");
  await page.getByTestId("autopilot-banner").getByRole("button", { name: "Preview adoption" }).click();
  const dialog = page.getByRole("dialog");
  const row = dialog.getByRole("row", { name: /MachineConfig 99-openshift-machineconfig-worker-psi-karg/ });
  await row.waitFor();
  expect(await row.locator("td").allTextContents()).toEqual([
    "MachineConfig 99-openshift-machineconfig-worker-psi-karg",
    "psi-enable",
    "yes",
    "take over",
    "0",
    "",
  ]);
  await dialog.getByTestId("adoption-impact").getByText("Reboots 0 nodes.").waitFor();
  await expectAccessible(page, "the preview of an adoption");
  const replace = dialog.getByRole("checkbox", { name: "Replace MachineConfig 90-worker-swap-online by swap-enable" });
  await replace.check();
  await dialog.getByText("Reboots 3 nodes (worker pool, one at a time).").first().waitFor();
  await replace.uncheck();
  await dialog.getByTestId("adoption-impact").getByText("Reboots 0 nodes.").waitFor();
  await dialog.getByRole("button", { name: "Move objects" }).click();
  await dialog.getByText("The objects have been moved.").waitFor();
  expect(await managers()).toEqual([ours, ours, theirs]);
  await expectAccessible(page, "an adoption that is done");
  await dialog.getByRole("button", { name: "Close" }).last().click();
});

test("the banner then offers the way back", async () => {
  const { page } = opened;
  await page.getByTestId("autopilot-banner").getByRole("button", { name: "Preview return" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Return objects" }).click();
  await dialog.getByText("The objects have been moved.").waitFor();
  expect(await operatorSwitches(cluster)).toEqual({ autopilot: undefined, own: "false" });
  await expect.poll(managers).toEqual([theirs, theirs, theirs]);
  expect(cluster.reboots()).toEqual([]);
});
