// The console shows which objects virt-platform-autopilot manages, and offers no edit of them.

import { afterAll, beforeAll, expect, test } from "vitest";
import { storeReport } from "../cli/platform-objects.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { expectAccessible } from "./console-page.ts";
import { type OpenedConsole, openConsole } from "./open-console.ts";

const contested = [{ path: "/spec/mode", managers: ["gitops"], wanted: '"Automatic"', found: '"Predictive"' }];
const object = (name: string, managedBy: string, status: string, assets: readonly string[]) => ({
  object: name,
  managedBy,
  status,
  assets,
  contested,
  owned: ["/spec/mode"],
});
const report = {
  activation: { mode: "always", isActive: true },
  hco: { apiVersion: "hco.kubevirt.io/v1beta1", namespace: "openshift-cnv" },
  autopilot: { state: "Active", since: "2026-01-01T00:00:00Z", namespace: "openshift-cnv" },
  objects: [
    object("MetalLB metallb-system/metallb", "virt-platform-operator", "Contested", ["metallb-operator"]),
    object("KubeDescheduler openshift-kube-descheduler-operator/cluster", "virt-platform-autopilot", "Excluded", []),
  ],
  exclusions: [
    {
      asset: "descheduler-loadaware",
      group: "load-aware",
      target: "KubeDescheduler openshift-kube-descheduler-operator/cluster",
      reason: "ManagedByAutopilot",
      details: "",
    },
  ],
};
const namespace = "virt-platform-operator-system";
let testCluster: TestCluster;
let opened: OpenedConsole;

beforeAll(async () => {
  testCluster = await startTestCluster();
  await storeReport(testCluster.server, namespace, report);
  opened = await openConsole(testCluster.server.kubeconfig);
});
afterAll(async () => {
  await opened.end();
  await testCluster[Symbol.asyncDispose]();
});

test("a banner counts the objects of the autopilot and previews their adoption", async () => {
  const { page, open } = opened;
  await open("assets");
  const banner = page.getByTestId("autopilot-banner");
  await banner.getByText("virt-platform-autopilot manages 1 object").waitFor();
  expect(await banner.textContent()).not.toContain("kubectl");
  await banner.getByRole("button", { name: "Preview adoption" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The objects cannot be compared: no HyperConverged resource found").waitFor();
  expect(await dialog.getByRole("button", { name: "Move objects" }).isDisabled()).toBe(true);
  await expectAccessible(page, "a failed preview");
  await page.keyboard.press("Escape");
});

test("an object of the autopilot names its manager and has no edit action", async () => {
  const { page, open } = opened;
  await open("assets");
  const row = (asset: string) => page.getByTestId(`asset-${asset}`);
  const details = async (asset: string) => {
    await row(asset).getByRole("button").first().click();
    const shown = page.locator("tbody", { has: row(asset) }).locator(".vc-details");
    await shown.waitFor();
    return shown;
  };
  const ours = await details("metallb-operator");
  await ours.getByRole("button", { name: "Adopt" }).waitFor();
  await ours.getByText("mode=unmanaged").or(ours.getByText("Do not manage the object:")).first().waitFor();
  expect(await row("metallb-operator").textContent()).toContain("virt-platform-operator");
  const theirs = await details("descheduler-loadaware");
  await theirs.getByText("virt-platform-autopilot manages this object.").waitFor();
  expect(await row("descheduler-loadaware").textContent()).toContain("virt-platform-autopilot");
  for (const action of ["Adopt", "Resume"]) expect(await theirs.getByRole("button", { name: action }).count()).toBe(0);
  expect(await theirs.getByText("Do not manage the object:").count()).toBe(0);
});

test("the overview shows the combined state of both operators", async () => {
  const { page, open } = opened;
  await open("");
  await expect
    .poll(() => page.getByTestId("platform-operators").textContent())
    .toBe("Platform operators: Both (virt-platform-operator is active, virt-platform-autopilot is active)");
});
