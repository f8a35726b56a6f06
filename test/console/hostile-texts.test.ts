import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../../tools/console/browser.ts";
import { type RunningConsole, startConsole } from "../../tools/console/start-console.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { hostileObjects, hostileProfile, scriptOf } from "./hostile-objects.ts";

let cluster: TestCluster;
let shown: RunningConsole;
let browser: Browser;
let page: Page;
const { requests, places } = hostileObjects();
const complaints: string[] = [];

beforeAll(async () => {
  cluster = await startTestCluster();
  for (const request of requests) {
    const { status, body } = await cluster.server.request(request);
    if (status >= 300) throw new Error(JSON.stringify(body));
  }
  shown = await startConsole(cluster.server.kubeconfig);
  browser = await launchBrowser();
  page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(120_000);
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on(
    "console",
    (message) => message.text().includes("Content Security Policy") && complaints.push(message.text()),
  );
  await page.goto(shown.url);
});
afterAll(async () => {
  await browser.close();
  await shown.end();
  await cluster[Symbol.asyncDispose]();
});

async function readPage(path: string, last: string): Promise<string> {
  await page.goto(`${shown.origin}/#/${path}`);
  await page.getByText(last).first().waitFor();
  const folds = page.locator("#content [aria-expanded=false]");
  for (let left = await folds.count(); left > 0; left = await folds.count()) await folds.first().click();
  return (await page.locator("#content").textContent()) ?? "";
}

test("shows every script as text and runs none", async () => {
  const texts = [
    await readPage("", "description"),
    await readPage(`plan/${hostileProfile}`, "line added"),
    await readPage(`rollout/${hostileProfile}`, "pool condition"),
    await readPage("assets", "last error"),
    await readPage("activity", "note"),
  ].join("\n");
  const missing = [...places].filter(([number]) => !texts.includes(scriptOf(number))).map(([, place]) => place);
  expect(places.size).toBeGreaterThan(35);
  expect(missing).toEqual([]);
  expect(texts).toContain(`was rejected by an unknown user: ${scriptOf(0)}`);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect(await page.locator("img").count()).toBe(0);
});

test("links lead only to pages, and the browser blocks nothing", async () => {
  await readPage(`rollout/${hostileProfile}`, "pool condition");
  const links = await page.locator("a").evaluateAll((all) => all.map((each) => each.getAttribute("href") ?? ""));
  expect(links.filter((href) => !href.startsWith("#"))).toEqual([]);
  expect(complaints).toEqual([]);
});
