// The next and the previous release take over the advisor's configs in every phase: phases change only as documented,
// and no unrequested write occurs.
// @module-tag thorough

import { phases } from "@virt/api";
import { startFaultProxy } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { edit, paths, printRequestsOnFailure, removeAt, untilPoolRests, writesOf } from "../support/advisor.ts";
import type { Direction, PhaseScenario, ScenarioContext } from "../support/install/phase-scenario.ts";
import { examplePath, rounds } from "../support/install/phase-scenarios.ts";
import { present, previous, type Release } from "../support/install/releases.ts";
import type { RunningProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const flags = ["--leader-elect", "--advertise-profiles=false"];
let testCluster: TestCluster;
let account: { readonly token: string; readonly kubeconfig: string };
let running: RunningProgram | undefined;

beforeAll(async () => {
  testCluster = await startTestCluster({ release: previous.folder });
  account = await operatorAccount(testCluster.server, "advisor", previous.folder);
  await testCluster.simulate("three-workers", 10_000);
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  const { server } = testCluster;
  await stop();
  await removeAt(server, "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs");
  await edit(server, paths.pool("worker"), { spec: { paused: false } });
  for (const path of [paths.psi, paths.swap, paths.descheduler, examplePath]) await removeAt(server, path);
  const written = { higherWorkloadDensity: null, ksmConfiguration: null, liveMigrationConfig: null };
  await edit(server, paths.hco, { spec: written });
  for (const name of ["99-worker-psi-karg", "90-worker-kubelet-swap"]) await untilPoolRests(server, name, false);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

async function start({ folder: release }: Release, kubeconfig = account.kubeconfig): Promise<void> {
  running = await testCluster.startOperator({ release, flags, kubeconfig });
}

/** Stops gracefully, so that the lease is released. */
async function stop(): Promise<void> {
  running?.child.kill("SIGTERM");
  await running?.exited;
  running = undefined;
}

const eachOf = (scenarios: readonly PhaseScenario[], act: (scenario: PhaseScenario) => Promise<unknown>) =>
  Promise.all(scenarios.map(act));

async function reachPhases(
  scenarios: readonly PhaseScenario[],
  release: Release,
  direction: Direction,
): Promise<ScenarioContext> {
  const { server, configs } = testCluster;
  await using proxy = await startFaultProxy({ server });
  const context = { server, configs, proxy, direction };
  await start(release, proxy.kubeconfigFor("advisor", account));
  await eachOf(scenarios, ({ reach }) => reach(context));
  await stop();
  await eachOf(scenarios, async ({ betweenReleases }) => betweenReleases?.(context));
  return context;
}

async function expectTakenOver(
  { profile, takenOver }: PhaseScenario,
  { configs, direction }: ScenarioContext,
): Promise<void> {
  const { phase, review } = takenOver[direction];
  const status = await configs.until(
    profile,
    (now) => now.phase === phase && (review === undefined || now.review?.reason === review.reason),
  );
  expect(status).toMatchObject({ phase, ...(review && { review }) });
}

const directions = [
  { direction: "upgrade", from: previous, to: present },
  { direction: "downgrade", from: present, to: previous },
] as const;

const cases = rounds.flatMap((scenarios) =>
  directions.map(({ direction, from, to }) => {
    const reachable = scenarios.filter(({ only = direction }) => only === direction);
    return { direction, from, to, scenarios: reachable, names: reachable.map(({ name }) => name).join(" · ") };
  }),
);

test.each(directions)("$direction covers every phase but CompletedWithUpgrade", ({ direction }) => {
  const scenarios = cases.filter((one) => one.direction === direction).flatMap((one) => one.scenarios);
  const reached = scenarios.map(({ name }) => name.split(",")[0]);
  expect(phases.filter((phase) => !reached.includes(phase))).toEqual(["CompletedWithUpgrade"]);
});

test.each(cases)("$direction takes over configs: $names", { timeout: 360_000 }, async (taken) => {
  const { direction, from, to, scenarios } = taken;
  const context = await reachPhases(scenarios, from, direction);
  await testCluster.install(to.folder);
  const before = writesOf(testCluster.server).length;
  const written = () => writesOf(testCluster.server).slice(before).toSorted();
  await start(to);
  await eachOf(scenarios, (scenario) => expectTakenOver(scenario, context));
  const approved = scenarios.flatMap(({ takenOver }) => takenOver[direction].writes ?? []);
  await expect.poll(written).toEqual(approved.toSorted());

  await eachOf(scenarios, ({ conclude }) => conclude(context));
  await expect.poll(written).toEqual(scenarios.flatMap(({ concludes }) => concludes).toSorted());
});
