// Approves a plan in the console as a user does, and watches its rollout until the plan is Completed.

import type { Page } from "playwright-core";
import { launchBrowser } from "../console/browser.ts";

export type ConsoleCheck = {
  readonly approve: (profile: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

const patienceMs = 300_000;

export async function openConsole({ consoleUrl }: { readonly consoleUrl: string }): Promise<ConsoleCheck> {
  const browser = await launchBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(patienceMs);
  await page.goto(consoleUrl);
  return { approve: (profile) => approveAndFollow(page, profile), close: () => browser.close() };
}

async function approveAndFollow(page: Page, profile: string): Promise<void> {
  await page.getByRole("link", { name: `Open plan of ${profile}` }).click();
  await page.getByText("psi=1").first().waitFor();
  const approve = page.getByRole("button", { name: /^Approve plan [0-9a-f]{12} \(\d+ nodes reboot/ });
  const [, rebooted] = /\((\d+) nodes reboot/.exec((await approve.textContent()) ?? "") ?? [];
  await approve.click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Approve plan/ })
    .click();
  await page.getByRole("link", { name: "Rollout", exact: true }).click();
  // All nodes are Done before the pool has a new target, and items complete before the plan does.
  await page.locator(".vc-item-head", { hasText: profile }).getByText("Completed", { exact: true }).first().waitFor();
  const done = page.getByTestId("pool-worker").locator("[data-phase=Done]");
  await done.nth(Number(rebooted) - 1).waitFor();
}
