// `make screenshots`: captures every page in both themes and three widths into dist/screenshots.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { bringUp, node, type Simulated, step } from "../demo/steps.ts";
import { launchBrowser } from "./browser.ts";
import { type Moment, momentsOf } from "./moments.ts";
import { type RunningConsole, startConsole } from "./start-console.ts";

const { SCENARIO = "stuck-drain", SPEED = "60" } = process.env;
const folder = join("dist", "screenshots");
const widths = [1280, 768, 360];
const themes = ["light", "dark"] as const;

type OpenPage = { readonly page: Page; readonly console: RunningConsole };

async function shootAll(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const cluster = await bringUp({
    scenario: SCENARIO,
    speed: SPEED,
    outlivesOwner: false,
    programs: (kubeconfig) => [
      node("operator", "dist/virt-operator.mjs", `--kubeconfig=${kubeconfig}`, "--health-probe-bind-address=0"),
    ],
  });
  const browser = await launchBrowser();
  const open = async (kubeconfig: string, port?: number): Promise<OpenPage> => {
    const console = await startConsole(kubeconfig, port);
    const page = await (await browser.newContext()).newPage();
    await page.goto(console.url);
    return { page, console };
  };
  try {
    const own = await open(cluster.server.kubeconfig);
    const viewer = await open(viewerOf(cluster));
    let count = 0;
    const shoot = (moment: Moment, { page, console }: OpenPage) => {
      const name = `${String(++count).padStart(2, "0")}-${moment.name}`;
      return step(name, () => shootMoment(page, console.origin, { ...moment, name }));
    };
    for (const moment of momentsOf(cluster)) {
      // Shows the page as a user without permissions sees it, before anything is broken.
      if (moment.name === "overview-silent")
        await shoot(
          {
            name: "overview-forbidden",
            fragment: "#/",
            act: (page) => page.getByText("You do not have permission").first().waitFor(),
          },
          viewer,
        );
      await shoot(moment, own);
    }
    await own.console.end();
    const lost = { name: "connection-lost", act: (page: Page) => page.getByText("Connection lost").waitFor() };
    await shoot(lost, own);
    const next = await startConsole(cluster.server.kubeconfig, Number(new URL(own.console.origin).port));
    const signedOut = { name: "signed-out", act: (page: Page) => page.getByText("This tab is signed out").waitFor() };
    await shoot(signedOut, own);
    await next.end();
    await viewer.console.end();
  } finally {
    await browser.close();
    await cluster.programs.end();
    await cluster.server.stop();
  }
}

function viewerOf({ server }: Simulated): string {
  return server.user("somebody-without-rights").kubeconfig;
}

async function shootMoment(page: Page, origin: string, { name, fragment, prepare, act }: Moment): Promise<void> {
  await prepare?.();
  await page.setViewportSize({ width: widths[0] ?? 1280, height: 900 });
  if (fragment !== undefined) await page.goto(`${origin}/${fragment}`);
  await act?.(page);
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await page.locator("#content h1").waitFor();
      await page.locator(".pf-v6-c-spinner").waitFor({ state: "detached" });
      // A narrow page collapses its navigation some time after the resize.
      await page.locator("nav[aria-label=Pages]").waitFor({ state: width === widths[0] ? "visible" : "hidden" });
      // The page scrolls inside #content, so the window must be as tall as the content.
      const tall = await page
        .locator("#content")
        .evaluate(({ scrollHeight }: { readonly scrollHeight: number }) => scrollHeight);
      await page.setViewportSize({ width, height: Math.min(6_000, Math.max(800, tall + 120)) });
      await page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) });
    }
  }
}

await shootAll();
