// Measures the shipped console in a browser on a large cluster: time to first content, time to show a change, and frame
// times and memory during a rollout.

import type { Browser, BrowserContext } from "playwright-core";
import { launchBrowser } from "../../../tools/console/browser.ts";
import { type RunningConsole, startConsole } from "../../../tools/console/start-console.ts";
import { loadAware } from "../advisor-cluster.ts";
import { inParallel } from "../config-maps.ts";
import type { FigureSpec, Goal } from "../figures.ts";
import { createEvent, createLargeCluster, largeCluster, nodeName } from "../large-cluster.ts";
import { frameLimitMs, type MeasuredPage, openMeasured } from "../measured-page.ts";
import { cpuMsOf, memoryOf } from "../process-figures.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { advanceNode, moveVm, nodeOfVm, nodePhaseAfter, rolloutUpdates, setPhase } from "../rollout-updates.ts";
import { type Measured, ourAccount, type Rig, type Scenario, type Size } from "../scenario.ts";
import { pause } from "../wait.ts";

const openings = { quick: 3, usual: 5, full: 10 };
const changes = { quick: 5, usual: 20, full: 50 };
const updateSeconds = { quick: 10, usual: 60, full: 60 };
const updatesASecond = 20;
/** The number of updates in one simulated hour. They are sent as fast as the API server accepts them. */
const updatesOfHour = { quick: 500, usual: 6_000, full: 25_000 };
const restMs = 5_000;

const pageNames = ["overview", "rollout", "whole rollout", "assets", "activity"] as const;
type PageName = (typeof pageNames)[number];

function contentOf(name: PageName, size: Size): { readonly fragment: string; readonly isShown: string } {
  const atLeast = (selector: string, count: number) =>
    `document.querySelectorAll(${JSON.stringify(selector)}).length >= ${count}`;
  switch (name) {
    case "overview":
      return { fragment: "#/", isShown: atLeast(`[data-testid=profile-${loadAware}]`, 1) };
    case "rollout":
      return { fragment: `#/rollout/${loadAware}`, isShown: atLeast("[data-node]", largeCluster[size].nodes) };
    case "whole rollout":
      return {
        fragment: `#/rollout/${loadAware}`,
        isShown: atLeast("[data-node][data-vms]", largeCluster[size].nodes),
      };
    case "assets":
      return { fragment: "#/assets", isShown: atLeast("[data-testid^=asset-]", 20) };
    case "activity":
      return { fragment: "#/activity", isShown: atLeast("#content tbody tr", 20) };
  }
}

async function measure(rig: Rig): Promise<Measured> {
  const { api, ours, say } = rig;
  const from = new Date();
  say("starting the console");
  const begun = performance.now();
  const console = await startConsole(ours.kubeconfig);
  const startMs = performance.now() - begun;
  const kill = () => void process.kill(console.pid, "SIGKILL");
  process.once("exit", kill);
  const browser = await launchBrowser();
  try {
    const visit = await signIn(browser, console);
    const contents = await measureContents(rig, console, visit);
    const context = await visit();
    const shown = await measureChanges(rig, console, context);
    const frames = await measureFrames(rig, console, context);
    const hour = await measureHour(rig, console, context);
    return {
      samples: { "start to URL": [startMs], ...contents, ...shown, ...frames, ...hour },
      requests: countByVerb(requestsIn(api.audit(), { account: ourAccount, from, until: new Date() })),
    };
  } finally {
    await browser.close();
    process.off("exit", kill);
    await console.end();
  }
}

type Visit = () => Promise<BrowserContext>;

/** Each visit uses a fresh context that holds only the console's cookie and key. */
async function signIn(browser: Browser, { url }: RunningConsole): Promise<Visit> {
  const first = await browser.newContext();
  const page = await first.newPage();
  await page.goto(url);
  await page.locator("#content h1").waitFor();
  const storageState = await first.storageState();
  const key = JSON.stringify(await page.evaluate('sessionStorage.getItem("virt-console-key")'));
  await first.close();
  return async () => {
    const context = await browser.newContext({ storageState, viewport: { width: 1280, height: 900 } });
    await context.addInitScript(`sessionStorage.setItem("virt-console-key", ${key})`);
    return context;
  };
}

function open(name: PageName, size: Size, { origin }: RunningConsole, context: BrowserContext): Promise<MeasuredPage> {
  const { fragment, isShown } = contentOf(name, size);
  return openMeasured(context, { url: `${origin}/${fragment}`, isShown });
}

async function measureContents({ say, size }: Rig, console: RunningConsole, visit: Visit) {
  const samples: Record<string, readonly number[]> = {};
  for (const name of pageNames) {
    say(`opening ${name} ${openings[size]} times`);
    const opened: MeasuredPage[] = [];
    for (let time = 0; time < openings[size]; time++) {
      const context = await visit();
      opened.push(await open(name, size, console, context));
      await context.close();
    }
    samples[`${name}: first content`] = opened.map(({ contentMs }) => contentMs);
    samples[`${name}: CPU of its main thread by then`] = opened.map(({ contentCpuMs }) => contentCpuMs);
  }
  return samples;
}

async function measureChanges(rig: Rig, console: RunningConsole, context: BrowserContext) {
  const { api, say, size } = rig;
  const tile = (index: number) => `document.querySelector("[data-node=${nodeName(index)}]")`;
  const vmsOf = (index: number) => `${tile(index)}.dataset.vms`;
  const card = `document.querySelector("[data-testid=profile-${loadAware}]").textContent`;
  const each = async (page: PageName, change: (page: MeasuredPage, at: number) => Promise<number>) => {
    const opened = await open(page, size, console, context);
    const times: number[] = [];
    for (let at = 0; at < changes[size]; at++) times.push(await change(opened, at));
    await opened.close();
    return times;
  };
  say("changing nodes, VMs, events and the config one by one");
  return {
    "node on screen": await each("whole rollout", (page, at) => {
      const phase = nodePhaseAfter(at);
      return page.shownAfter(`${tile(1)}.dataset.phase === "${phase}"`, () => advanceNode(api, 1, at));
    }),
    "VM on screen": await each("whole rollout", async (page) => {
      const to = (await nodeOfVm(api, 0)) === nodeName(2) ? 3 : 2; // an earlier round may have moved it to either node
      const before = JSON.stringify(await page.read(vmsOf(to)));
      return page.shownAfter(`${vmsOf(to)} !== ${before}`, () => moveVm(api, 0, nodeName(to)));
    }),
    "event on screen": await each("activity", (page, at) => {
      const name = `shown-${Date.now()}-${at}`;
      return page.shownAfter(`document.body.textContent.includes("${name}")`, () => createEvent(api, at, name));
    }),
    "config on screen": await each("overview", (page, at) => {
      const phase = at % 2 === 0 ? "Failed" : "InProgress";
      return page.shownAfter(`${card}.includes("${phase}")`, () => setPhase(api, phase));
    }),
  };
}

/** Measures frame times at rest and during a rollout. */
async function measureFrames(rig: Rig, console: RunningConsole, context: BrowserContext) {
  const samples: Record<string, readonly number[]> = {};
  for (const name of ["rollout", "activity"] as const) {
    const page = await open(name === "rollout" ? "whole rollout" : name, rig.size, console, context);
    rig.say(`${name} at rest`);
    const rest = await page.framesDuring(() => pause(restMs));
    rig.say(`${name} while ${updatesASecond} updates come a second`);
    const cpu = cpuMsOf(console.pid);
    const updated = await page.framesDuring(() => sendUpdates(rig));
    samples[`${name}: longest frame at rest`] = [rest.longestMs];
    samples[`${name}: longest frame`] = [updated.longestMs];
    samples[`${name}: frames over ${frameLimitMs} ms`] = [updated.overLimit];
    samples[`${name}: longest task`] = [updated.longestTaskMs];
    samples[`${name}: CPU of its main thread a second`] = [updated.cpuMs / updateSeconds[rig.size]];
    samples[`${name}: CPU of the console's server a second`] = [(cpuMsOf(console.pid) - cpu) / updateSeconds[rig.size]];
    await page.close();
  }
  return samples;
}

async function sendUpdates({ api, size }: Rig): Promise<void> {
  const update = rolloutUpdates(api, size);
  const intervalMs = 1_000 / updatesASecond;
  const begun = performance.now();
  for (let at = 0; at < updateSeconds[size] * updatesASecond; at++) {
    await update(at);
    await pause(Math.max(0, begun + (at + 1) * intervalMs - performance.now()));
  }
}

/** Keeps two tabs open for the simulated hour. Measures memory growth after the first sixth, which is the warm-up. */
async function measureHour(rig: Rig, console: RunningConsole, context: BrowserContext) {
  const { api, say, size } = rig;
  const tabs = [
    ["rollout", await open("whole rollout", size, console, context)],
    ["activity", await open("activity", size, console, context)],
  ] as const;
  const update = rolloutUpdates(api, size);
  const count = updatesOfHour[size];
  const warmUp = Math.ceil(count / 6);
  const settle = async () => {
    await pause(restMs);
    const held = await Promise.all(tabs.map(async ([name, page]) => [name, await page.holdings()] as const));
    return { rssMb: memoryOf(console.pid).rssMb, held: new Map(held) };
  };
  say(`an hour of a rollout: the first ${warmUp} of ${count} updates`);
  await inParallel(warmUp, update);
  const before = await settle();
  say(`an hour of a rollout: ${count} updates`);
  await inParallel(count - warmUp, (at) => update(warmUp + at));
  const after = await settle();
  const samples: Record<string, readonly number[]> = {};
  for (const [name, page] of tabs) {
    const [first, last] = [before.held.get(name), after.held.get(name)];
    samples[`${name}: heap`] = [last?.heapMb ?? Number.NaN];
    samples[`${name}: heap growth in an hour`] = [(last?.heapMb ?? Number.NaN) - (first?.heapMb ?? Number.NaN)];
    samples[`${name}: elements`] = [last?.elements ?? Number.NaN];
    await page.close();
  }
  return {
    ...samples,
    "server RSS": [after.rssMb],
    "server RSS growth in an hour": [after.rssMb - before.rssMb],
  };
}

const within = (value: number): Goal => ({ is: "at most", value, isExact: false });
const exactly = (value: number): Goal => ({ is: "at most", value, isExact: true });

const framesOf = (name: string): readonly FigureSpec[] => [
  { name: `${name}: longest frame at rest`, unit: "ms" },
  { name: `${name}: longest frame`, unit: "ms", goal: within(frameLimitMs) },
  { name: `${name}: frames over ${frameLimitMs} ms`, unit: "count" },
  { name: `${name}: longest task`, unit: "ms" },
  { name: `${name}: CPU of its main thread a second`, unit: "ms" },
  { name: `${name}: CPU of the console's server a second`, unit: "ms" },
];

const heapOf = (name: string): readonly FigureSpec[] => [
  { name: `${name}: heap`, unit: "MB" },
  { name: `${name}: heap growth in an hour`, unit: "MB", goal: exactly(1) },
  { name: `${name}: elements`, unit: "count" },
];

export const largeConsole: Scenario = {
  name: "console",
  says: "the shipped console in a browser, of 300 nodes, 5,000 VMs, 200 assets and 5,000 events (a tenth in a quick run): pages are opened, changes come one by one, then 20 a second for 60 s, then those of an hour of a rollout",
  isQuick: false,
  perRound: 1,
  figures: [
    { name: "start to URL", unit: "ms" },
    ...pageNames.flatMap((name): readonly FigureSpec[] => [
      // The rollout page first shows tiles, and later the VMs in them.
      { name: `${name}: first content`, unit: "ms", ...(name !== "whole rollout" && { goal: within(1_000) }) },
      { name: `${name}: CPU of its main thread by then`, unit: "ms" },
    ]),
    ...["node", "VM", "event", "config"].map(
      (sort) => ({ name: `${sort} on screen`, unit: "ms", floor: "change", goal: within(200) }) as const,
    ),
    ...framesOf("rollout"),
    ...framesOf("activity"),
    ...heapOf("rollout"),
    ...heapOf("activity"),
    { name: "server RSS", unit: "MB" },
    { name: "server RSS growth in an hour", unit: "MB", goal: exactly(20) },
  ],
  prepare: createLargeCluster,
  measure,
};
