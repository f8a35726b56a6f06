// The console's read-only pages: assets and their reasons, missing rights, expiring credentials, and access for all
// readers.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startConsole } from "../../tools/console/start-console.ts";
import { runPlugin } from "../support/plugin.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { expectAccessible, requestsElsewhere, tabTo } from "./console-page.ts";
import { type OpenedConsole, openConsole, openTab } from "./open-console.ts";

const profile = "load-aware-rebalancing";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const migrations = "spec.liveMigrationConfig.parallelMigrationsPerCluster";
let cluster: TestCluster;
let platform: RunningProgram;
let opened: OpenedConsole;
let page: Page;
let open: OpenedConsole["open"];

beforeAll(async () => {
  cluster = await startTestCluster();
  const { server } = cluster;
  await cluster.simulate("stuck-drain", 1_200);
  await server.kubectl("create", "namespace", "virt-platform-operator-system");
  const limit = { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 7 } } };
  await patch(`${hco}?fieldManager=gitops`, limit);
  await patch(hco, {
    metadata: { annotations: { "platform.kubevirt.io/virt-platform-operator": "hco-golden-config" } },
  });
  await cluster.startOperator();
  platform = startProgram("virt-operator", [
    "--controllers=platform",
    "--health-probe-bind-address=0",
    `--kubeconfig=${server.kubeconfig}`,
  ]);
  await cluster.configs.until(profile, "Ignored");
  await cluster.configs.edit(profile, { action: "DryRun" });
  opened = await openConsole(server.kubeconfig);
  ({ page, open } = opened);
  await cluster.configs.until(profile, ({ phase, impact }) => phase === "ReviewRequired" && impact !== undefined);
});
afterAll(async () => {
  await opened.end();
  await platform.kill();
  await cluster[Symbol.asyncDispose]();
});

function patch(path: string, body: unknown) {
  return cluster.server.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
}

const asset = (name: string) => page.getByTestId(`asset-${name}`);

test.each(["", `plan/${profile}`, `rollout/${profile}`, "drift", "assets", "activity"])(
  "the page #/%s is accessible in both themes at every width",
  async (path) => {
    await open(path);
    await page.locator("#content h2, #content table, #content form").first().waitFor();
    await page.locator(".pf-v6-c-spinner").waitFor({ state: "detached" });
    await expectAccessible(page, path);
  },
);

test("decision dialogs are accessible, fit 360 pixels and return the focus", async () => {
  await open(`plan/${profile}`);
  for (const [button, sure] of [
    [/^Approve plan/, /^Approve plan/],
    [/^Reject/, /^Reject$/],
  ] as const) {
    const opener = page.getByTestId("decision").getByRole("button", { name: button });
    await expect.poll(() => opener.getAttribute("aria-disabled")).not.toBe("true");
    await opener.click();
    await expectAccessible(page, `dialog ${button}`);
    await page.setViewportSize({ width: 360, height: 640 });
    await page.getByRole("dialog").getByRole("button", { name: sure }).click({ trial: true });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.keyboard.press("Escape");
    await expect.poll(() => opener.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  }
});

test("shows remedies for a blocking VM, and links VMs and nodes", async () => {
  await open(`plan/${profile}`);
  const row = page.getByTestId("impact").getByRole("row", { name: /pinned-0/ });
  await row.getByRole("button", { name: "Show remedies" }).click();
  await row.getByText("virtctl stop pinned-0 -n vms").waitFor();
  await row.getByText("The VM is down until you start it again.").waitFor();
  await row.getByRole("button", { name: "vms/pinned-0", exact: true }).click();
  await page.getByRole("dialog").getByText("worker-0").waitFor();
  await page.keyboard.press("Escape");
  await row.getByRole("button", { name: "worker-0", exact: true }).click();
  await page.getByRole("dialog").getByText("vms/pinned-0").waitFor();
  await expectAccessible(page, "what is known of a node");
  await page.keyboard.press("Escape");
});

test("shows the derived value of an unset option with its source", async () => {
  await open(`plan/${profile}`);
  const cells = page.getByRole("row", { name: /^loadAware\.evictionLimitTotal / }).locator("td");
  await expect
    .poll(() => cells.allTextContents())
    .toEqual(["loadAware.evictionLimitTotal", "7", "derived from HyperConverged parallelMigrationsPerCluster"]);
});

test("shows why assets are not applied, filtered from the overview", async () => {
  await open("");
  await page.getByRole("link", { name: /\d+ Unmanaged/ }).click();
  await asset("metallb-operator").waitFor();
  await expect.poll(() => asset("metallb-operator").textContent()).toContain("See above");
  const banner = page.getByTestId("shared-NotListed");
  await banner
    .getByText(/\d+ assets are not applied: .*virt-platform-operator lists neither the asset nor its group/)
    .waitFor();
  await expect.poll(() => asset("hco-golden-config").count()).toBe(0);
});

test("sorts the assets table by keyboard", async () => {
  await open("assets");
  await asset("metallb-operator").waitFor();
  const names = () => page.locator("[data-testid^=asset-] td[data-label=Asset]").allTextContents();
  const header = page.getByRole("columnheader", { name: "Asset", exact: true });
  expect(await header.getAttribute("aria-sort")).toBe(null);
  const before = await names();
  await tabTo(page, header.getByRole("button"));
  await page.keyboard.press("Enter");
  await expect.poll(() => header.getAttribute("aria-sort")).toBe("ascending");
  const ascending = await names();
  expect(ascending).toEqual(ascending.toSorted());
  expect(ascending).not.toEqual(before);
  await page.keyboard.press("Enter");
  await expect.poll(() => header.getAttribute("aria-sort")).toBe("descending");
  const descending = await names(); // of another page: the table shows 50 rows at a time
  expect(descending).toEqual(descending.toSorted().toReversed());
  expect(descending).not.toEqual(ascending);
});

test("shows override commands on demand, with a field of the object", async () => {
  await open("assets?state=Contested");
  const details = asset("hco-golden-config").getByRole("button").first();
  await details.click();
  const button = page.getByRole("button", { name: "Show command: Leave fields to other clients" });
  await button.waitFor();
  expect(await page.getByText("kubectl annotate").count()).toBe(0);
  await button.click();
  const annotation = "platform.kubevirt.io/ignore-fields=/spec/liveMigrationConfig/parallelMigrationsPerCluster";
  await page.getByText(annotation).waitFor();
  await expectAccessible(page, "the command of an override");
  await details.click();
});

test("shows contested fields and adopts them as the user after a preview", async () => {
  await open("assets?state=Contested");
  await asset("hco-golden-config").getByRole("button").first().click();
  const field = page.getByRole("row", { name: new RegExp(`^${migrations} gitops 7 5`) });
  await field.first().waitFor();
  await expectAccessible(page, "details of an asset");
  await page.getByRole("button", { name: "Adopt", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The API server would accept it (dry run).").waitFor();
  await dialog.getByText('"platform.kubevirt.io/adopt": "true"').waitFor();
  await dialog.getByRole("row", { name: new RegExp(migrations) }).waitFor();
  await expectAccessible(page, "preview of an adoption");
  expect(await limitOfHco()).toBe(7);
  await dialog.getByRole("button", { name: "Send" }).click();
  await expect.poll(limitOfHco).toBe(5);
  const written = await cluster.server.kubectl("get", "--raw", hco, "--show-managed-fields");
  expect(written.stdout).toContain('"virt-console"');
});

async function limitOfHco(): Promise<unknown> {
  const { body } = await cluster.server.request({ path: hco });
  const { spec } = body as { readonly spec: { readonly liveMigrationConfig: Readonly<Record<string, unknown>> } };
  return spec.liveMigrationConfig["parallelMigrationsPerCluster"];
}

test("shows an override of an object with its effect", async () => {
  await patch(hco, { metadata: { annotations: { "platform.kubevirt.io/mode": "unmanaged" } } });
  await open("assets?state=Unmanaged&filter=hco-golden-config");
  await asset("hco-golden-config").getByRole("button").first().click();
  const row = page.getByTestId("overrides").getByRole("row", { name: /platform\.kubevirt\.io\/mode/ });
  await expect.poll(() => row.textContent()).toContain("The object is not managed");
});

test("the pages send no request to another origin", () => {
  expect(requestsElsewhere(opened.requests, opened.shown.origin)).toEqual([]);
});

async function openAs(name: string) {
  const { server } = cluster;
  const user = await server.serviceAccount("default", name);
  const verbs = "--verb=get,list,watch";
  await server.kubectl("create", "clusterrole", name, verbs, "--resource=virtplatformconfigs.advisor.kubevirt.io");
  await server.kubectl(
    "create",
    "clusterrolebinding",
    name,
    `--clusterrole=${name}`,
    `--serviceaccount=default:${name}`,
  );
  const own = await startConsole(user.kubeconfig);
  const apart = await opened.browser.newContext();
  const tab = await openTab(apart);
  await tab.goto(own.url);
  await tab.goto(`${own.origin}/#/plan/${profile}`);
  return { tab, user, end: () => Promise.all([apart.close(), own.end()]) };
}

test("shows a read-only user the plan and the missing verb", async () => {
  const { tab, end } = await openAs("viewer");
  await tab.getByTestId("decision").getByText("It requires the patch verb on virtplatformconfigs").waitFor();
  expect(await tab.getByRole("button", { name: /^Approve plan/ }).getAttribute("aria-disabled")).toBe("true");
  await tab.getByRole("link", { name: "Rollout", exact: true }).click();
  await tab
    .getByText("You do not have permission to list machineconfigpools.machineconfiguration.openshift.io")
    .waitFor();
  await tab.getByRole("link", { name: "Assets", exact: true }).click();
  await tab.getByText("You do not have permission to list configmaps").waitFor();
  await expectAccessible(tab, "a page that may not be read");
  await end();
});

test("an expired token keeps the page and shows how to sign in", {
  tags: ["thorough"],
}, async () => {
  const { tab, user, end } = await openAs("leaver");
  await tab.getByTestId("plan-hash").waitFor();
  await cluster.server.kubectl("delete", "serviceaccount", "leaver");
  const banner = tab.getByTestId("connection").getByText("The API server does not accept your credentials");
  // API servers cache authorization for some seconds. A page that opens later lists again.
  await expect.poll(async () => (await user.request({ path: "/api" })).status).toBe(401);
  await tab.getByRole("link", { name: "Rollout", exact: true }).click();
  await banner.waitFor();
  await tab.getByRole("link", { name: "Plan review", exact: true }).click();
  await tab.getByTestId("plan-hash").waitFor();
  expect(await tab.getByTestId("connection").textContent()).toContain("oc login");
  await expectAccessible(tab, "a page without credentials");
  await end();
});

test("enabling the platform controller shows the combined impact, then its rollout", async () => {
  const activation = (value: string) => ({
    metadata: { annotations: { "platform.kubevirt.io/virt-platform-operator": value } },
  });
  await patch(hco, activation("false"));
  await open("assets");
  const banner = page.getByTestId("shared-NotActivated");
  await banner.getByText(/The platform controller is disabled: \d+ assets are not applied/).waitFor();
  await banner.getByRole("button", { name: "Enable the platform controller" }).click();
  const dialog = page.getByRole("dialog");
  await dialog
    .getByTestId("combined-impact")
    .getByText(/Reboots \d+ nodes? \(worker pool/)
    .waitFor();
  await expectAccessible(page, "the combined impact of the platform controller");
  // A paused pool keeps the asserted state.
  await patch("/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker", { spec: { paused: true } });
  await dialog.getByRole("button", { name: "Send" }).click();
  await open("");
  const rolling = page.getByTestId("rolling-pools");
  await rolling.getByText(/Pool worker is paused with a pending update: .*Cause: the platform controller \(/).waitFor();
  await expectAccessible(page, "pools that roll");
  await rolling.getByRole("link", { name: "Watch rollout: worker" }).click();
  await page.getByTestId("pool-worker").locator("[data-node]").first().waitFor();
  const status = await runPlugin(["status"], cluster.server);
  expect(status.out).toMatch(/Pool worker is paused with a pending update: .*Cause: the platform controller \(/);
});
