// `make demo`: runs the product on a simulated cluster. Ctrl-C removes everything.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { checkScenario, type DemoEnvironment } from "./check.ts";
import { openReader } from "./cluster-reader.ts";
import { followEvents, followStages, printSuggestions } from "./follow.ts";
import { fillPathFolder } from "./path-folder.ts";
import { type DemoScenario, demoScenarios, findScenario, listScenarios } from "./scenarios.ts";
import { bringUp, node, type Simulated, step } from "./steps.ts";

const { CHECK = "", SCENARIO = "first-plan", SPEED = CHECK === "" ? "60" : "2000", DEMO_PORT = "7070" } = process.env;
const startedAt = Number(process.env["DEMO_STARTED"] ?? Date.now() / 1000);

async function demo(scenario: DemoScenario): Promise<void> {
  const cluster = await bringUp({
    scenario: scenario.cluster,
    speed: SPEED,
    without: scenario.missingKinds,
    manifests: ["config/admission"],
    outlivesOwner: false,
    programs: (kubeconfig) => [
      node(
        "operator",
        "dist/virt-operator.mjs",
        `--kubeconfig=${kubeconfig}`,
        "--health-probe-bind-address=0",
        "--log-format=pretty",
        "--example-profile",
      ),
      node("console", "dist/kubectl-virt_advisor", "console", `--kubeconfig=${kubeconfig}`, `--port=${DEMO_PORT}`),
    ],
  });
  const place = choosePlace();
  try {
    const environment = await step("controllers and console", () => enterCluster(cluster, place));
    if (CHECK === "") await accompany(environment, scenario);
    else await checkScenario(environment, scenario);
  } finally {
    await cluster.programs.end();
    await cluster.server.stop();
    rmSync(place, { recursive: true, force: true });
  }
}

/** Returns a folder that no other demo uses, and removes the folders of killed demos. */
function choosePlace(): string {
  const used = globSync(".demo*").filter(isUsed);
  for (const left of globSync(".demo*").filter((folder) => !isUsed(folder)))
    rmSync(left, { recursive: true, force: true });
  const place = used.length === 0 ? ".demo" : `.demo-${process.pid}`;
  mkdirSync(place);
  writeFileSync(join(place, "pid"), `${process.pid}\n`);
  return place;
}

function isUsed(folder: string): boolean {
  const owner = join(folder, "pid");
  return existsSync(owner) && existsSync(`/proc/${readFileSync(owner, "utf8").trim()}`);
}

/** Resolves when the profiles are advertised and the console is served. */
async function enterCluster(cluster: Simulated, place: string): Promise<DemoEnvironment> {
  const { server, programs, logs } = cluster;
  cpSync(server.kubeconfig, join(place, "kubeconfig"));
  fillPathFolder(place, {
    kubectl: join(server.binaries, "kubectl"),
    plugin: join("dist", "kubectl-virt_advisor"),
  });
  // The platform controller publishes the report that the console shows in this namespace.
  const metadata = { name: "virt-platform-operator-system" };
  await server.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata } });
  const failed = programs.failure.then((why) => Promise.reject(new Error(`${why}; see ${logs}`)));
  const consoleUrl = await Promise.race([untilServed(cluster), failed]);
  const PATH = `${resolve(place)}:${process.env["PATH"]}`;
  return { ...cluster, consoleUrl, place, env: { ...process.env, PATH, KUBECONFIG: resolve(place, "kubeconfig") } };
}

async function untilServed({ server, logs }: Simulated): Promise<string> {
  const cluster = openReader(server);
  for (;;) {
    const [, url] = /^Console: (\S+)$/m.exec(readFileSync(join(logs, "console.log"), "utf8")) ?? [];
    const offered = (await cluster.readConfig("load-aware-rebalancing"))?.status?.phase;
    if (url !== undefined && offered !== undefined) return url;
    await wait(50);
  }
}

function say(line = ""): void {
  process.stdout.write(`${line}\n`);
}

async function accompany(environment: DemoEnvironment, { about, cluster, stages }: DemoScenario): Promise<void> {
  const { server, programs, logs, consoleUrl, place } = environment;
  const reader = openReader(server);
  const seconds = Math.round(Date.now() / 1000 - startedAt);
  const busy = new RegExp(`^Port ${DEMO_PORT} is in use.*$`, "m").exec(readFileSync(join(logs, "console.log"), "utf8"));
  if (busy !== null) say(busy[0]);
  say(`\nReady in ${seconds} s.   Console: ${consoleUrl}        (press Ctrl-C to stop and clean up)`);
  say(`\nScenario ${SCENARIO}: ${about}.`);
  say(`The API server is real. The cluster (${cluster}) is simulated and runs ${SPEED} times faster than real time.`);
  say(`Logs: ${logs}\n`);
  say("In another terminal:");
  say(`       export KUBECONFIG=$PWD/${place}/kubeconfig PATH=$PWD/${place}:$PATH`);
  printSuggestions((await stages[0]?.suggest(reader)) ?? [], say);
  const ended = new AbortController();
  const printedChanges = followEvents(server.kubeconfig, say);
  const following = followStages(stages, reader, { say, signal: ended.signal });
  try {
    const failed = programs.failure.then((why) => Promise.reject(new Error(why)));
    await Promise.race([interrupted(), failed, following.then(() => interrupted())]);
  } finally {
    ended.abort();
    await following;
    await printedChanges.stop();
  }
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

async function checkAll(): Promise<void> {
  for (const [name, scenario] of demoScenarios) {
    const began = performance.now();
    say(`\n${name}: ${scenario.about}`);
    await demo(scenario);
    say(`${name} completed in ${Math.round((performance.now() - began) / 1000)} s`);
  }
}

function listClusters(): readonly string[] {
  const help = execFileSync(process.execPath, ["dist/virt-simulator.mjs", "--help"], { encoding: "utf8" });
  const [, scenarios = ""] = help.split("scenarios:\n");
  return [...scenarios.matchAll(/^ +(\S+)/gm)].map(([, name = ""]) => name);
}

async function main(): Promise<void> {
  const names = listClusters();
  if (SCENARIO === "help") return say(listScenarios(names));
  if (SCENARIO === "all" && CHECK !== "") return checkAll();
  const scenario = findScenario(SCENARIO, { names, isFile: existsSync });
  if (scenario === undefined) throw new Error(`scenario "${SCENARIO}" not found.\n${listScenarios(names)}`);
  await demo(scenario);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
