// Measures a console page in a browser: time to content, time to show a change, frame times and memory.

import type { BrowserContext, CDPSession, Page } from "playwright-core";

export type MeasuredPage = {
  /** Milliseconds from the start of the navigation until the content is on the screen. */
  readonly contentMs: number;
  /** The CPU time until the content is on the screen. Unlike `contentMs`, it does not depend on other load. */
  readonly contentCpuMs: number;
  readonly read: (expression: string) => Promise<unknown>;
  /** Returns the milliseconds from the start of the write until the expression `isShown` is true in the page. */
  readonly shownAfter: (isShown: string, write: () => Promise<unknown>) => Promise<number>;
  readonly framesDuring: (work: () => Promise<unknown>) => Promise<Frames>;
  readonly holdings: () => Promise<Holdings>;
  readonly close: () => Promise<void>;
};

export type Frames = {
  readonly longestMs: number;
  readonly longestTaskMs: number;
  readonly overLimit: number;
  readonly cpuMs: number;
};

export type Holdings = { readonly heapMb: number; readonly elements: number };

export type PageContent = {
  readonly url: string;
  readonly isShown: string;
};

/** Waits for one more frame, because rendered content is on the screen only after the next frame. */
const probe = `
  globalThis.whenShown = (isShown) => new Promise((resolve) => {
    const settle = () => requestAnimationFrame(() => setTimeout(() => resolve({ at: Date.now(), since: performance.now() })));
    const check = () => {
      if (!isShown()) return;
      observer.disconnect();
      settle();
    };
    const observer = new MutationObserver(check);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    check();
  });`;

type Shown = { readonly at: number; readonly since: number };

export async function openMeasured(context: BrowserContext, { url, isShown }: PageContent): Promise<MeasuredPage> {
  const page = await context.newPage();
  const debug = await context.newCDPSession(page);
  await debug.send("Performance.enable", { timeDomain: "threadTicks" });
  await debug.send("HeapProfiler.enable");
  await page.addInitScript(`${probe}\n globalThis.firstContent = whenShown(() => ${isShown});`);
  await page.goto(url);
  const { since } = await withinMinute(page, "firstContent");
  return {
    contentMs: since,
    contentCpuMs: (await metricOf(debug, "TaskDuration")) * 1_000,
    read: (expression) => page.evaluate(expression),
    shownAfter: (expression, write) => shownAfter(page, expression, write),
    framesDuring: (work) => framesDuring(page, debug, work),
    holdings: () => holdings(debug),
    close: () => page.close(),
  };
}

/** Measures across two processes. The browser and this process share the machine's clock. */
async function shownAfter(page: Page, isShown: string, write: () => Promise<unknown>): Promise<number> {
  await page.evaluate(`void (globalThis.nextShown = whenShown(() => ${isShown}))`);
  const begun = Date.now();
  await write();
  const { at } = await withinMinute(page, "nextShown");
  return at - begun;
}

/** Fails with the text of the page if the expected content does not appear. */
async function withinMinute(page: Page, shown: string): Promise<Shown> {
  const late = "new Promise((resolve) => setTimeout(resolve, 60_000))";
  const seen = (await page.evaluate(`Promise.race([${shown}, ${late}])`)) as Shown | undefined;
  if (seen !== undefined) return seen;
  const text = (await page.evaluate("document.body.innerText.slice(0, 2000)")) as string;
  throw new Error(`the page did not show the expected content in 60 s, but: ${text}`);
}

/** Users notice frames that are longer than this. */
export const frameLimitMs = 100;

const followFrames = `
  globalThis.frames = { longestMs: 0, longestTaskMs: 0, overLimit: 0, isOver: false };
  (() => {
    const { frames } = globalThis;
    let before = performance.now();
    const next = (now) => {
      frames.longestMs = Math.max(frames.longestMs, now - before);
      if (now - before > ${frameLimitMs}) frames.overLimit++;
      before = now;
      if (!frames.isOver) requestAnimationFrame(next);
    };
    requestAnimationFrame((now) => {
      before = now;
      requestAnimationFrame(next);
    });
    frames.observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) frames.longestTaskMs = Math.max(frames.longestTaskMs, duration);
    });
    frames.observer.observe({ type: "longtask" });
  })();`;

async function framesDuring(page: Page, debug: CDPSession, work: () => Promise<unknown>): Promise<Frames> {
  await page.evaluate(followFrames);
  const before = await metricOf(debug, "TaskDuration");
  await work();
  const cpuMs = ((await metricOf(debug, "TaskDuration")) - before) * 1_000;
  const frames = (await page.evaluate(`
    frames.isOver = true;
    frames.observer.disconnect();
    ({ longestMs: frames.longestMs, longestTaskMs: frames.longestTaskMs, overLimit: frames.overLimit })`)) as Omit<
    Frames,
    "cpuMs"
  >;
  return { ...frames, cpuMs };
}

async function holdings(debug: CDPSession): Promise<Holdings> {
  await debug.send("HeapProfiler.collectGarbage");
  await debug.send("HeapProfiler.collectGarbage"); // collects objects that the first pass released
  const { usedSize } = await debug.send("Runtime.getHeapUsage");
  return { heapMb: usedSize / 1_000_000, elements: await metricOf(debug, "Nodes") };
}

async function metricOf(debug: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await debug.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
}
