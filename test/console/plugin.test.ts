// The plugin in a console host with OpenShift's contract, with a real API server, the simulated cluster and the shipped
// advisor.

import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { inRepository } from "@virt/testkit";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { type ConsoleHost, startConsoleHost } from "./console-host.ts";
import { requestsElsewhere, seriousFindings } from "./console-page.ts";
import { type OpenedBrowser, openBrowser } from "./open-console.ts";
import { type PluginServer, startPluginServer } from "./plugin-server.ts";

const profile = "load-aware-rebalancing";
const configs = "advisor.kubevirt.io~v1alpha1~VirtPlatformConfig";
let cluster: TestCluster;
let plugin: PluginServer;
let host: ConsoleHost;
let opened: OpenedBrowser;
let page: Page;

beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.simulate("three-workers", 1_200);
  await cluster.startOperator();
  plugin = await startPluginServer();
  host = await startConsoleHost(cluster.server.kubeconfig, plugin);
  opened = await openBrowser();
  ({ page } = opened);
});
afterAll(async () => {
  await opened.end();
  await host.close();
  await plugin.end();
  await cluster[Symbol.asyncDispose]();
});

const open = (path: string) => page.goto(`${host.origin}${path}`);

test("opens the advisor from the Virtualization menu without a reload", async () => {
  await open("/");
  const entries = page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Advisor" });
  await expect.poll(() => entries.count()).toBe(2); // one for each perspective
  expect(await entries.first().getAttribute("data-section")).toBe("virtualization");
  await page.evaluate("window.loadedOnce = true");
  await entries.first().click();
  await page.getByTestId(`profile-${profile}`).waitFor();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Activity" }).click();
  await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/virt-advisor/activity");
  await page.goBack();
  await page.getByTestId(`profile-${profile}`).waitFor();
  expect(await page.evaluate("window.loadedOnce")).toBe(true);
});

test("drafts, approves and completes a plan as the signed-in user", async () => {
  await page.getByRole("button", { name: `Draft a plan for ${profile}` }).click();
  await page.getByRole("link", { name: `Open plan of ${profile}` }).click();
  await page.getByText("psi=1").first().waitFor();
  await page.getByTestId("impact").getByText("Reboots 3 nodes (worker pool, one at a time).").waitFor();
  await page.getByRole("button", { name: /^Approve plan [0-9a-f]{12} \(3 nodes reboot\)$/ }).click();
  const dialog = page.getByRole("dialog");
  const { planHash = "" } = await cluster.configs.status(profile);
  const hash = dialog.getByText(planHash.slice(0, 12), { exact: true });
  expect(await hash.getAttribute("title")).toBe(planHash);
  await dialog.getByRole("button", { name: /^Approve plan/ }).click();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Rollout" }).click();
  // All nodes are Done before the pool has a new target, and items complete before the plan does.
  await cluster.configs.until(profile, "Completed");
  await page.locator(".vc-item-head").getByText("Completed", { exact: true }).first().waitFor();
  await expect.poll(() => page.getByTestId("pool-worker").locator("[data-phase=Done]").count()).toBe(3);
  const writers = cluster.server
    .audit()
    .filter(
      ({ verb, objectRef }) =>
        verb === "patch" && objectRef?.resource === "virtplatformconfigs" && !objectRef.subresource,
    )
    .filter(({ userAgent = "" }) => userAgent.includes("Mozilla"))
    .map(({ user }) => user.username);
  expect(new Set(writers)).toEqual(new Set(["admin"]));
}, 360_000);

test("shows drift by watch, with its client", async () => {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Drift" }).click();
  await page.getByText("Nothing has drifted").waitFor();
  const path =
    "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster?fieldManager=gitops";
  const body = { spec: { deschedulingIntervalSeconds: 4321 } };
  await cluster.server.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
  const row = page.getByRole("row", { name: /deschedulingIntervalSeconds/ });
  await row.getByText("4321").waitFor();
  await expect.poll(() => row.getByText("gitops (Update)").count()).toBe(1);
});

test("a changed input links to the settings pages and names no client", async () => {
  const density = "virt-higher-density";
  await cluster.configs.edit(density, { action: "Apply" });
  await cluster.configs.until(density, "Completed");
  const path =
    "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged?fieldManager=Mozilla";
  const body = { spec: { higherWorkloadDensity: { memoryOvercommitPercentage: 100 } } };
  await cluster.server.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
  await page.getByRole("row", { name: `${density} memoryOvercommitPercentage 150 100` }).waitFor();
  const text = page.getByTestId("moved-text");
  expect(await text.textContent()).toContain("Plans are based on these inputs");
  expect(await text.getByRole("link").getAttribute("href")).toBe("/k8s/all-namespaces/virtualization-settings/cluster");
  await cluster.configs.edit(density, { action: "Ignore" });
  await cluster.configs.until(density, "Ignored");
});

test("replaces the list and details pages of VirtPlatformConfigs", async () => {
  await open(`/k8s/cluster/${configs}`);
  await page.getByTestId(`profile-${profile}`).waitFor();
  await cluster.configs.edit(profile, { action: "DryRun" });
  await cluster.configs.until(profile, "ReviewRequired");
  await open(`/k8s/cluster/${configs}/${profile}`);
  const tabs = page.getByRole("navigation", { name: "Tabs" });
  await tabs.getByRole("link", { name: "YAML" }).click();
  await page.getByTestId("editor").getByText(profile).waitFor();
  await tabs.getByRole("link", { name: "Events" }).click();
  await page.getByTestId("events").waitFor();
  await page.getByRole("button", { name: "Approve…" }).click();
  await page.getByRole("button", { name: /^Approve plan/ }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/virt-advisor/plan/${profile}`);
  await open(`/k8s/cluster/${configs}/~new`);
  await page.getByTestId("template").getByText("kind: VirtPlatformConfig").waitFor();
});

test("a MachineConfigPool has a tab with its nodes and its plan", async () => {
  await open("/k8s/cluster/machineconfiguration.openshift.io~v1~MachineConfigPool/worker");
  await page.getByRole("link", { name: "Virtualization rollout" }).click();
  await expect.poll(() => page.getByTestId("pool-worker").locator("[data-node]").count()).toBe(3);
  await page.getByRole("link", { name: new RegExp(`^${profile} .* changes this pool$`) }).click();
  await page.getByRole("heading", { level: 1, name: "Rollout" }).waitFor();
});

test("the pages follow the console's theme and are accessible in both", async () => {
  const colors = new Set<unknown>();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(`/virt-advisor/plan/${profile}`);
    await page.getByRole("button", { name: /^Approve plan/ }).waitFor();
    expect(await seriousFindings(page), `in the ${colorScheme} theme`).toEqual([]);
    colors.add(await page.evaluate("getComputedStyle(document.querySelector('h1')).color"));
  }
  expect(colors.size).toBe(2);
});

test("loads its own styles with its pages", async () => {
  expect(await page.evaluate("getComputedStyle(document.querySelector('.vc-plugin')).overflow")).toBe("auto");
});

test("uses the console's PatternFly components and its own icons", async () => {
  expect(loadedCopies()).toEqual(new Set(["icons"]));
});

test("uses its own PatternFly if the console shares none", async () => {
  await open(`/virt-advisor/plan/${profile}?patternfly=none`);
  await page.getByRole("button", { name: /^Approve plan/ }).waitFor();
  expect(loadedCopies()).toEqual(new Set(["icons", "components"]));
});

/** The plugin's own copies of PatternFly that a browser has asked for so far. */
function loadedCopies(): ReadonlySet<string> {
  const names = opened.requests.map(
    (url) => /\/api\/plugins\/virt-advisor\/(icons|components)\.[^/]*\.js/.exec(url)?.[1],
  );
  return new Set(names.filter((name) => name !== undefined));
}

test("a console before 4.22 shows the required release", async () => {
  await open("/?release=4.21.9");
  const refusal = page.getByRole("alert").getByText(">=4.22.0-0, resolved version 4.21.9");
  await expect.poll(() => refusal.count()).toBe(1);
});

test("sends no request to another origin and throws no error", () => {
  expect(requestsElsewhere(opened.requests, host.origin)).toEqual([]);
  expect(opened.problems).toEqual([]);
});

test("the plugin's files are at most 2 MB gzipped", () => {
  const folder = inRepository("dist", "console-plugin");
  const sizes = readdirSync(folder).map((file) => gzipSync(readFileSync(`${folder}/${file}`)).length);
  expect(sizes.length).toBeGreaterThan(4);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_000_000);
});
