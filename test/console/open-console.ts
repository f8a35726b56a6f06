// Opens the standalone console, or any page, in a browser that records requests and problems.

import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchBrowser } from "../../tools/console/browser.ts";
import { type RunningConsole, startConsole } from "../../tools/console/start-console.ts";

export type OpenedBrowser = {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** The URLs that the context has requested. */
  readonly requests: readonly string[];
  /** Uncaught errors of the page, and messages about React or the content security policy. */
  readonly problems: readonly string[];
  readonly end: () => Promise<void>;
};

export async function openBrowser(): Promise<OpenedBrowser> {
  const browser = await launchBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const requests: string[] = [];
  context.on("request", (request) => requests.push(request.url()));
  const page = await openTab(context);
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => {
    if (/content security policy|minified react error/i.test(message.text())) problems.push(message.text());
  });
  return { browser, context, page, requests, problems, end: () => browser.close() };
}

export type OpenedConsole = OpenedBrowser & {
  readonly shown: RunningConsole;
  readonly open: (path: string, on?: Page) => Promise<unknown>;
};

/** Starts the standalone console with this kubeconfig and opens its link. */
export async function openConsole(kubeconfig: string): Promise<OpenedConsole> {
  const shown = await startConsole(kubeconfig);
  const opened = await openBrowser();
  await opened.page.goto(shown.url);
  return {
    ...opened,
    shown,
    open: (path, on = opened.page) => on.goto(`${shown.origin}/#/${path}`),
    end: async () => {
      await opened.end();
      await shown.end();
    },
  };
}

/** A tab with a hang guard for all its waits. */
export async function openTab(context: BrowserContext): Promise<Page> {
  const tab = await context.newPage();
  tab.setDefaultTimeout(120_000);
  return tab;
}
