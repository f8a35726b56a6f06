import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { hostileObjects, hostileProfile, scriptOf } from "./hostile-objects.ts";
import { type OpenedConsole, openConsole } from "./open-console.ts";

let cluster: TestCluster;
let opened: OpenedConsole;
let page: Page;
const { requests, places } = hostileObjects();

beforeAll(async () => {
  cluster = await startTestCluster();
  for (const request of requests) {
    const { status, body } = await cluster.server.request(request);
    if (status >= 300) throw new Error(JSON.stringify(body));
  }
  opened = await openConsole(cluster.server.kubeconfig);
  ({ page } = opened);
});
afterAll(async () => {
  await opened.end();
  await cluster[Symbol.asyncDispose]();
});

async function readPage(path: string, last: string): Promise<string> {
  await opened.open(path);
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
  expect(opened.problems).toEqual([]);
});
