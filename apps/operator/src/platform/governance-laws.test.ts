// Property-based test of the hand-over: after a plan releases an asset that reboots nodes, the operator writes it only
// if a user requests it again.

import { lawRuns, runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assetNames, type Defect, governedHco, streams } from "./testing/governance-catalog.ts";
import { Oracle } from "./testing/governance-oracle.ts";
import { anySteps, type GovernanceStep, runPersonStep } from "./testing/governance-steps.ts";
import { GovernedCluster } from "./testing/governed-cluster.ts";

async function catchUp(cluster: GovernedCluster, oracle: Oracle): Promise<void> {
  cluster.start();
  for (const stream of streams) {
    cluster.list(stream);
    for (let left = 10; left > 0; left -= 1) cluster.deliver(stream);
  }
  await cluster.reconcileGovernance(() => undefined);
  oracle.after(cluster);
  cluster.deliver("record");
  for (const asset of assetNames) cluster.reconcileObject(asset, () => undefined);
}

/** Deletes the stored record while the operator runs. A deletion during downtime is a separate case. */
async function takeRecordAway(cluster: GovernedCluster): Promise<void> {
  if (!cluster.isSynced) return;
  cluster.setRecord(undefined);
  for (let left = 10; left > 0; left -= 1) cluster.deliver("record");
  await cluster.reconcileGovernance(() => undefined);
}

type RunResult = { readonly violations: readonly string[]; readonly allowed: number; readonly isReleased: boolean };

async function runSteps(
  steps: readonly GovernanceStep[],
  activation: "always" | "opt-in",
  defect?: Defect,
): Promise<RunResult> {
  const cluster = new GovernedCluster(activation, defect);
  const oracle = new Oracle();
  cluster.onWrite = (write) => oracle.wrote(write);
  cluster.onSeen = (config) => oracle.seen(config);
  cluster.onStored = () => oracle.stored();
  cluster.onRemembered = (config) => oracle.remembered(config, cluster);
  cluster.setHco(governedHco("hco-0", {}));
  const waiting = [...steps];
  let isReleased = false;
  const during = () => {
    const next = waiting[0];
    if (next?.do === "deliver") cluster.deliver(next.stream);
    else if (next?.do === "annotate" || next?.do === "act" || next?.do === "advise")
      runPersonStep(next, cluster, oracle);
    else return;
    waiting.shift();
    oracle.after(cluster);
  };
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    if (step.do === "crash") {
      cluster.crash();
      oracle.crashed();
    } else if (step.do === "start") cluster.start();
    else if (step.do === "list") cluster.list(step.stream);
    else if (step.do === "deliver") cluster.deliver(step.stream);
    else if (step.do === "govern") await cluster.reconcileGovernance(during);
    else if (step.do === "catch up") await catchUp(cluster, oracle);
    else if (step.do === "take the record away") await takeRecordAway(cluster);
    else if (step.do === "reconcile") cluster.reconcileObject(step.asset, during);
    else runPersonStep(step, cluster, oracle);
    oracle.after(cluster);
    isReleased ||= Object.keys(cluster.stored()?.released ?? {}).length > 0;
  }
  return { violations: oracle.violations, allowed: oracle.allowed, isReleased };
}

const anyMode = fc.constantFrom("always" as const, "opt-in" as const);

test("never writes rebooting assets unless a user asks after the last hand-over", {
  timeout: 600_000,
}, async () => {
  let [allowed, released] = [0, 0];
  const runs = { numRuns: Math.max(Math.min(2_000, lawRuns()), runsForCost(8).numRuns) };
  const law = fc.asyncProperty(anySteps, anyMode, async (steps, mode) => {
    const result = await runSteps(steps, mode);
    allowed += result.allowed;
    released += result.isReleased ? 1 : 0;
    expect(result.violations).toEqual([]);
  });
  await fc.assert(law, runs);
  // Ensures that an operator that never writes would fail the test.
  expect(allowed).toBeGreaterThan(runs.numRuns / 10);
  expect(released).toBeGreaterThan(runs.numRuns / 10);
});

const defects: readonly Defect[] = ["late observation", "stale read", "nothing stored", "no confirmation"];
test.each(defects)("the law fails on a planted defect: %s", { timeout: 600_000 }, async (defect) => {
  const law = fc.asyncProperty(anySteps, anyMode, async (steps, mode) => {
    expect((await runSteps(steps, mode, defect)).violations).toEqual([]);
  });
  const { failed } = await fc.check(law, { numRuns: 3_000, endOnFailure: true });
  expect(failed).toBe(true);
});
