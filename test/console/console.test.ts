// The shipped console in a browser with a real API server, the simulated cluster and the shipped advisor.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { expectAccessible, requestsElsewhere, tabTo } from "./console-page.ts";
import { type OpenedConsole, openConsole, openTab } from "./open-console.ts";
import { prepareSecondApiServer, type SecondApiServer } from "./second-api-server.ts";

const profile = "load-aware-rebalancing";
let cluster: TestCluster;
let second: SecondApiServer;
let opened: OpenedConsole;
let page: Page;
let open: OpenedConsole["open"];

beforeAll(async () => {
  cluster = await startTestCluster();
  second = await prepareSecondApiServer(cluster.server);
  await second.start();
  await cluster.simulate("three-workers", 1_200);
  await cluster.startOperator();
  opened = await openConsole(second.kubeconfig);
  ({ page, open } = opened);
});
afterAll(async () => {
  await opened.end();
  await second.end();
  await cluster[Symbol.asyncDispose]();
});

test("drafts, reviews and approves a plan by keyboard alone", async () => {
  // The header shows the cluster and the user that the page acts as.
  await expect
    .poll(() => page.getByTestId("identity").textContent())
    .toMatch(/^Cluster127\.0\.0\.1:\d+User(?!unknown)./);
  await tabTo(page, page.getByRole("button", { name: `Draft a plan for ${profile}` }));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("link", { name: `Open plan of ${profile}` }));
  await page.keyboard.press("Enter");
  await page.getByText("psi=1").first().waitFor();
  const heights = await page
    .locator(".pf-v6-c-expandable-section__content[hidden]")
    .evaluateAll((collapsed) => collapsed.map((section) => section.getBoundingClientRect().height));
  expect(new Set(heights), "collapsed sections take no space").toEqual(new Set([0]));
  await page.getByTestId("impact").getByText("Reboots 3 nodes (worker pool, one at a time).").waitFor();
  const approve = page.getByRole("button", { name: /^Approve plan [0-9a-f]{12} \(3 nodes reboot\)$/ });
  await tabTo(page, approve);
  await expect.poll(() => approve.getAttribute("aria-disabled")).not.toBe("true");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  const { planHash = "" } = await cluster.configs.status(profile);
  const hash = dialog.getByText(planHash.slice(0, 12), { exact: true });
  expect(await hash.getAttribute("title")).toBe(planHash);
  await dialog.getByTestId("execution-settings").getByText("bypassOptimisticLock").waitFor();
  await dialog
    .getByText(
      /sets spec\.approvedPlan, so that only this plan runs\. \(Setting action: Apply alone skips the review\.\)/,
    )
    .waitFor();
  // Keeps all nodes unchanged until their page is open.
  await pauseWorkers(true);
  await tabTo(page, dialog.getByRole("button", { name: /^Approve plan/ }));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("link", { name: "Rollout", exact: true }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Pool worker: 0 of 3 nodes updated" }).waitFor();
}, 360_000);

test.each(["", `plan/${profile}`, `rollout/${profile}`])(
  "the page #/%s shows a stuck rollout as Stuck in red",
  async (path) => {
    const tab = await openTab(opened.context);
    await open(path, tab);
    const label = tab.locator("#content .pf-v6-c-label").filter({ hasText: /^Stuck$/ });
    await label.waitFor();
    expect(await label.getAttribute("class")).toContain("pf-m-red");
    await tab.close();
  },
);

test("shows the progress of nodes until the rollout is Completed", async () => {
  await recordHeadings(page);
  await pauseWorkers(false);
  await cluster.configs.until(profile, "Completed");
  await expect.poll(() => page.getByTestId("pool-worker").locator("[data-phase=Done]").count()).toBe(3);
  await page.locator(".vc-item-head").getByText("Completed", { exact: true }).first().waitFor();
  const headings = (await page.evaluate("window.headings")) as readonly string[];
  const filled = headings.flatMap((text) => /^Pool worker: (\d) of 3 nodes updated$/.exec(text)?.[1] ?? []);
  expect(filled).toEqual(filled.toSorted());
  expect(filled.length).toBeGreaterThan(1);
  await expect.poll(() => page.getByTestId("announcements").textContent()).toBe(`${profile} is now Completed.`);
  await page.getByTestId("timeline").getByText("PlanCompleted").waitFor();
}, 360_000);

test("a completed plan no longer warns of reboots", async () => {
  await open(`plan/${profile}`);
  const impact = page.getByTestId("impact");
  await impact.getByText(/3 of 3/).waitFor();
  expect(await impact.textContent()).not.toMatch(/reboot|Reboots \d/);
  await page.getByTestId("plan-hash").waitFor();
  expect(await page.locator("#content").getByText("Severity", { exact: true }).count()).toBe(0);
  await open("");
  const card = page.getByTestId(`profile-${profile}`);
  await card.getByText("Completed", { exact: true }).first().waitFor();
  expect(await card.textContent()).not.toMatch(/reboot|Reboots \d|Impact|High/);
});

async function pauseWorkers(paused: boolean): Promise<void> {
  const path = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker";
  const { status } = await cluster.server.request({ method: "PATCH", path, body: { spec: { paused } } });
  expect(status).toBe(200);
}

async function recordHeadings(on: Page): Promise<void> {
  await on.evaluate(`{
    window.headings = [];
    const record = () => {
      for (const { textContent } of document.querySelectorAll("h2"))
        if (textContent.startsWith("Pool") && !window.headings.includes(textContent)) window.headings.push(textContent);
    };
    record();
    new MutationObserver(record).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);
}

test("shows drift with its client, and marks it cleared after a new plan", async () => {
  await open("drift");
  await page.getByText("Nothing has drifted").waitFor();
  const path =
    "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster?fieldManager=gitops";
  const body = { spec: { deschedulingIntervalSeconds: 4321 } };
  await cluster.server.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
  const row = page.getByRole("row", { name: /deschedulingIntervalSeconds/ });
  await row.getByText("4321").waitFor();
  await row.getByText("gitops (Update)").waitFor();
  await row.getByRole("button", { name: /^Compare/ }).click();
  await page.getByRole("dialog").getByText("-  deschedulingIntervalSeconds: 4321").waitFor();
  await page.getByRole("dialog").getByText("+  deschedulingIntervalSeconds: 60").waitFor();
  await expectAccessible(page, "live and desired object in a dialog");
  await page.keyboard.press("Escape");
  await row.getByRole("button", { name: /^Open object/ }).click();
  await page.getByRole("dialog").getByText('"deschedulingIntervalSeconds": 4321').waitFor();
  await expectAccessible(page, "an object in a dialog");
  await page.keyboard.press("Escape");
  await expectAccessible(page, "drift");
  await page.getByRole("button", { name: `Draft a new plan for ${profile}` }).click();
  await cluster.configs.until(profile, "ReviewRequired");
  await expect.poll(() => row.getByText("cleared").count()).toBeGreaterThan(0);
  const pages = page.getByRole("navigation", { name: "Pages" });
  await pages.getByRole("link", { name: "Overview" }).click();
  await page.getByTestId(`profile-${profile}`).waitFor();
  await pages.getByRole("link", { name: "Drift" }).click();
  await row.getByText("cleared").waitFor();
});

test("keeps its place and shows its age while the API server restarts", async () => {
  await open(`plan/${profile}`);
  // With a pending plan and known rights, the page no longer changes.
  await expect
    .poll(() => page.getByRole("button", { name: /^Approve plan/ }).getAttribute("aria-disabled"))
    .not.toBe("true");
  const raw = page.getByRole("button", { name: "Raw" }).last();
  await raw.click();
  const content = page.locator("#content");
  await content.evaluate((element) => element.scrollBy(0, 200));
  const scrolled = await content.evaluate(({ scrollTop }) => scrollTop);
  expect(scrolled).toBeGreaterThan(0);
  await recordBanner(page);
  await second.end();
  const banner = page.getByTestId("connection");
  await banner.getByText(/This page was last updated at/).waitFor();
  await second.start();
  await banner.waitFor({ state: "detached", timeout: 120_000 });
  expect(await raw.getAttribute("aria-expanded")).toBe("true");
  expect(await raw.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  // The browser adjusts the scroll position for the banner in the next frame.
  await expect.poll(() => content.evaluate(({ scrollTop }) => scrollTop)).toBe(scrolled);
  // The banner shows one fixed time: that of the last current data.
  expect(await page.evaluate("window.bannerTimes")).toHaveLength(1);
}, 360_000);

async function recordBanner(on: Page): Promise<void> {
  await on.evaluate(`{
    window.bannerTimes = [];
    const read = () => {
      const [time] = /updated at .*?[:.] /.exec(document.querySelector("[data-testid=connection]")?.textContent ?? "") ?? [];
      if (time !== undefined && !window.bannerTimes.includes(time)) window.bannerTimes.push(time);
    };
    new MutationObserver(read).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);
}

test("disables both decisions if the plan changes, until it is shown", async () => {
  await open(`plan/${profile}`);
  const approve = page.getByRole("button", { name: /^Approve plan/ });
  const reject = page.getByRole("button", { name: "Reject…" });
  await expect.poll(() => approve.getAttribute("aria-disabled")).not.toBe("true");
  const before = await page.getByTestId("plan-hash").textContent();
  await cluster.configs.edit(profile, { options: { loadAware: { deschedulingIntervalSeconds: 1234 } } });
  await page.getByText("The plan has changed").waitFor();
  expect(await approve.getAttribute("aria-disabled")).toBe("true");
  expect(await reject.getAttribute("aria-disabled")).toBe("true");
  expect(await page.getByTestId("plan-hash").textContent()).toBe(before);
  await page.getByRole("button", { name: "Show the new plan" }).click();
  await expect.poll(() => page.getByTestId("plan-hash").textContent()).not.toBe(before);
  await page.getByText("1234").first().waitFor();
  await expect.poll(() => approve.getAttribute("aria-disabled")).not.toBe("true");
});

test("the options form rejects invalid values and drafts a new plan", async () => {
  await open(`plan/${profile}`);
  await page.getByRole("button", { name: "Edit options" }).click();
  const dialog = page.getByRole("dialog");
  const interval = dialog.getByLabel("deschedulingIntervalSeconds");
  expect(await interval.inputValue()).toBe("1234");
  await interval.fill("59");
  await dialog.locator(".pf-m-error").getByText("From 60 to 86400.").first().waitFor();
  await expectAccessible(page, "the form of options");
  const save = dialog.getByRole("button", { name: "Save and plan" });
  expect(await save.isDisabled()).toBe(true);
  await interval.fill("");
  await dialog.getByLabel("mode", { exact: true }).selectOption("Predictive");
  await save.click();
  await dialog.waitFor({ state: "detached" });
  const config = await cluster.configs.until(
    profile,
    ({ appliedOptions }) => appliedOptions?.["loadAware"]?.["mode"] === "Predictive",
  );
  expect(config.phase).toBe("ReviewRequired");
  await page.getByRole("button", { name: "Show the new plan" }).click();
  await page.getByText("Predictive").first().waitFor();
  const path = `/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/${profile}`;
  const { body } = await cluster.server.request({ path });
  expect(body).toMatchObject({ spec: { options: { loadAware: { mode: "Predictive" } } } });
  expect(JSON.stringify(body)).not.toContain('"deschedulingIntervalSeconds":1234');
});

test("shows a rejection with its reason in every tab", async () => {
  const second = await openTab(opened.context);
  await open(`plan/${profile}`, second);
  await page.getByRole("button", { name: "Reject…" }).click();
  await page.getByLabel("Reason, shown to the next reviewer").fill("not on a <b>Friday</b>");
  await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
  for (const tab of [page, second])
    await expect
      .poll(() => tab.getByText(/was rejected by \S+ \(not verified\) at \S+Z: not on a <b>Friday<\/b>/).count())
      .toBe(1);
  await page.getByRole("button", { name: /^Approve plan/ }).click();
  await page
    .getByRole("dialog")
    .getByText(/was rejected by .*Friday/)
    .waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await second.close();
});

test("an expired session hides the page and shows how to reopen it", async () => {
  const tab = await openTab(opened.context);
  // Simulates the server's answer after 30 idle minutes. The server's own tests cover the timeout.
  await tab.route("**/stream?*", (route) =>
    route.fulfill({ status: 401, headers: { "x-virt-console-session": "idle" } }),
  );
  await open(`plan/${profile}`, tab);
  await tab.getByRole("heading", { name: "Session expired" }).waitFor();
  await tab.getByText("The session ended after 30 minutes without activity.").waitFor();
  await tab.getByText("kubectl virt-advisor console").first().waitFor();
  expect(await tab.getByTestId("plan-hash").count()).toBe(0);
  await expectAccessible(tab, "an expired session");
  await tab.unroute("**/stream?*");
  await tab.getByTestId("plan-hash").waitFor();
  await tab.close();
});

test("the pages send no request to another origin", () => {
  expect(opened.requests.length).toBeGreaterThan(20);
  expect(requestsElsewhere(opened.requests, opened.shown.origin)).toEqual([]);
});
