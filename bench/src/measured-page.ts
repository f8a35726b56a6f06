// A page of the console in a browser, and what a person at it would notice: when something is on screen, how long frames take, what the page holds.

import type { BrowserContext, CDPSession, Page } from "playwright-core";

export type MeasuredPage = {
  /** Milliseconds from the start of the navigation until the content was on screen. */
  readonly contentMs: number;
  /** Processor time of its main thread by then, which does not depend on what else the machine does. */
  readonly contentCpuMs: number;
  /** The value of an expression. */
  readonly read: (expression: string) => Promise<unknown>;
  /** Milliseconds from the start of the write until the page shows its effect; `isShown` is an expression. */
  readonly shownAfter: (isShown: string, write: () => Promise<unknown>) => Promise<number>;
  /** The longest frame and the longest task while the work is done. */
  readonly framesDuring: (work: () => Promise<unknown>) => Promise<Frames>;
  readonly holdings: () => Promise<Holdings>;
  readonly close: () => Promise<void>;
};

export type Frames = {
  readonly longestMs: number;
  readonly longestTaskMs: number;
  readonly overLimit: number;
  /** Processor time of the main thread. */
  readonly cpuMs: number;
};

/** After a collection of garbage. */
export type Holdings = { readonly heapMb: number; readonly elements: number };

export type PageContent = {
  readonly url: string;
  /** An expression: whether the content is there. */
  readonly isShown: string;
};

/** What was rendered is on screen after the frame that follows. */
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

/** Opens the content in a new tab, and waits until it is on screen. */
export async function openMeasured(context: BrowserContext, { url, isShown }: PageContent): Promise<MeasuredPage> {
  const page = await context.newPage();
  const debug = await context.newCDPSession(page);
  await debug.send("Performance.enable", { timeDomain: "threadTicks" });
  await debug.send("HeapProfiler.enable");
  await page.addInitScript(`${probe}\n globalThis.firstContent = whenShown(() => ${isShown});`);
  await page.goto(url);
  const { since } = (await page.evaluate("firstContent")) as Shown;
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

/** Both ends read the clock of the same machine. */
async function shownAfter(page: Page, isShown: string, write: () => Promise<unknown>): Promise<number> {
  await page.evaluate(`void (globalThis.nextShown = whenShown(() => ${isShown}))`);
  const begun = Date.now();
  await write();
  const { at } = (await page.evaluate("nextShown")) as Shown;
  return at - begun;
}

/** A frame over this is one that a person sees. */
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
  await debug.send("HeapProfiler.collectGarbage"); // what the first one let go of
  const { usedSize } = await debug.send("Runtime.getHeapUsage");
  return { heapMb: usedSize / 1_000_000, elements: await metricOf(debug, "Nodes") };
}

async function metricOf(debug: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await debug.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
}
