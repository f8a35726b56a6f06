// Everything that shows a config, over random histories of a cluster: status, columns, command line, console, metrics and events.

import {
  conditionIs,
  conditionOf,
  eventsForStatusChange,
  isApplied,
  isRolloutOpen,
  rolloutChanges,
} from "@virt/advisor";
import { ConfigHarness, type DiagnoseHarness } from "@virt/advisor/testing/config-harness";
import { inputRef, machineTarget, mapTarget } from "@virt/advisor/testing/small-profile";
import type { KubeObject, Phase, Status } from "@virt/api";
import { driftRows, nextStepOf, phaseWord, profileRow, unrenderedPools, viewRollout } from "@virt/client";
import { desiredChanges } from "@virt/engine";
import { assessed, diagnoseRollout, notAssessed } from "@virt/impact";
import { Registry } from "@virt/kube";
import { collectDoctorFacts } from "@virt/reads";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { gridOf } from "../../../apps/console/src/pages/data/pool-grid.ts";
import { configGauges } from "../../../apps/operator/src/advisor/metrics.ts";

/** The diagnosis of the shipped operator, from nodes and pools alone. */
const diagnose: DiagnoseHarness = (facts, nodes) => {
  const { config, pools, live, renderedOf, now } = facts;
  const lists = new Map([
    ["Node", assessed(nodes)],
    ["MachineConfigPool", assessed(pools)],
  ]);
  const collected = collectDoctorFacts({
    disruption: [],
    renderedOf,
    list: ({ kind }) => lists.get(kind) ?? notAssessed("NotServed"),
    hco: undefined,
    now,
    changes: rolloutChanges(config, live, pools, renderedOf),
    areVmsNamed: true,
  });
  const doctorFacts = { ...collected, pools, before: config.status?.rollout };
  const { rollout, nextAt } = diagnoseRollout(doctorFacts);
  return { rollingNodes: doctorFacts, diagnosed: { rollout, dueMs: 0, nextMs: nextAt } };
};

type HistoryEvent = readonly [string, (harness: ConfigHarness) => void];

const behave = (change: Partial<ConfigHarness["behaviour"]>) => (harness: ConfigHarness) =>
  void Object.assign(harness.behaviour, change);
const events: readonly HistoryEvent[] = [
  ["DryRun", (harness) => harness.edit({ action: "DryRun" })],
  ["Apply", (harness) => harness.edit({ action: "Apply" })],
  ["Apply again", (harness) => harness.edit({ action: "Apply" })],
  ["Ignore", (harness) => harness.edit({ action: "Ignore" })],
  ["another size", (harness) => harness.edit({ options: { small: { size: "xl" } } })],
  ["no kernel arguments", (harness) => harness.edit({ options: { small: { kernel: false } } })],
  ["default options", (harness) => harness.edit({ options: {} })],
  ["continue after failures", (harness) => harness.edit({ failurePolicy: "Continue" })],
  ["correct drift", (harness) => harness.edit({ bypassOptimisticLock: true })],
  ["a timeout", (harness) => harness.edit({ waitTimeout: "5m" })],
  ["an input changes", (harness) => harness.put(inputRef, { data: { limit: "10" } })],
  ["settings edited", (harness) => harness.put(mapTarget, { data: { size: "mine" } })],
  ["settings deleted", (harness) => harness.put(mapTarget, undefined)],
  ["kernel arguments edited", (harness) => harness.put(machineTarget, { spec: { kernelArguments: ["b=2"] } })],
  ["MachineConfig deleted", (harness) => harness.put(machineTarget, undefined)],
  ["MachineConfig restored", (harness) => harness.put(machineTarget, { spec: { kernelArguments: ["a=1"] } })],
  ["nodes stop", behave({ isRollingOut: false })],
  ["nodes continue", behave({ isRollingOut: true })],
  ["the pool does not count", behave({ isPoolSilent: true })],
  ["the pool counts", behave({ isPoolSilent: false })],
  ["the API server refuses writes", behave({ isRefusing: true })],
  ["the API server accepts writes", behave({ isRefusing: false })],
  ["an outage", behave({ isUnavailable: true })],
  ["the end of an outage", behave({ isUnavailable: false })],
];

const anyHistory = fc.array(
  fc.record({ event: fc.constantFrom(...events), reconciles: fc.integer({ min: 1, max: 6 }) }),
  { minLength: 2, maxLength: 9, size: "max" },
);

/** A metric of the config by its labels; undefined: there is no such series. */
class ConfigMetrics {
  readonly #registry = new Registry();

  constructor(harness: ConfigHarness) {
    const input = { configs: () => [harness.config], pools: () => [harness.pool], missing: () => [] };
    configGauges(this.#registry, "", input);
  }

  async read(): Promise<ReadonlyMap<string, number>> {
    const metrics = await this.#registry.getMetricsAsJSON();
    return new Map(
      metrics.flatMap(({ name, values }) =>
        values.map(({ labels, value }) => {
          const { name: _config, ...rest } = labels as Readonly<Record<string, string>>;
          return [[name, ...Object.values(rest)].join(" "), value] as const;
        }),
      ),
    );
  }
}

const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);

/** What one surface shows of the nodes: updated and all. */
type NodesShown = { readonly updated: number; readonly total: number };

function nodesInColumn(progress: string | undefined): NodesShown | undefined {
  const [, updated, total] = /(\d+)\/(\d+) nodes/.exec(progress ?? "") ?? [];
  return updated === undefined ? undefined : { updated: Number(updated), total: Number(total) };
}

function nodesInText(text: string): NodesShown | undefined {
  const [, whole] = /all (\d+) nodes updated/.exec(text) ?? [];
  if (whole !== undefined) return { updated: Number(whole), total: Number(whole) };
  const [, updated, total] = /(\d+) of (\d+) nodes updated/.exec(text) ?? [];
  return updated === undefined ? undefined : { updated: Number(updated), total: Number(total) };
}

/** Every count of nodes that any surface shows while nodes take something over. */
function shownNodes(
  harness: ConfigHarness,
  metrics: ReadonlyMap<string, number>,
): Readonly<Record<string, NodesShown | undefined>> {
  const { config, status } = harness;
  const row = profileRow(config, harness.nowMs);
  const view = viewRollout(config, harness.nowMs);
  const grid = gridOf({
    nodes: harness.nodes,
    pools: [harness.pool],
    machineConfigNodes: [],
    vms: undefined,
    unrendered: unrenderedPools(config),
  });
  // In any other phase the items are those of a plan that was stopped.
  const items = status.phase === "InProgress" ? (status.items ?? []) : [];
  const running = items.filter(({ state, rollout }) => state === "InProgress" && rollout !== undefined);
  const counted = running
    .map(({ name }) => metrics.get(`rollout_machines ${name} worker updated`))
    .find(Number.isInteger);
  return {
    column: nodesInColumn(row.progress),
    "command line": view && {
      updated: sum(view.pools.map(({ updated }) => updated)),
      total: sum(view.pools.map(({ total }) => total)),
    },
    summary: nodesInText(view?.summary ?? ""),
    console: {
      updated: sum(grid.map(({ counts }) => counts.done)),
      total: sum(grid.map(({ counts }) => counts.total)),
    },
    metric: counted === undefined ? undefined : { updated: counted, total: harness.nodes.length },
    ...Object.fromEntries(running.map(({ name, message }) => [`item ${name}`, nodesInText(message)])),
  };
}

const isClear = ({ phase }: Status) => phase === "Completed" || phase === "CompletedWithUpgrade";

/** Applied targets that are not as the plan left them, by their content. What others create after a deletion is theirs. */
function driftedTargets({ status, live }: { readonly status: Status; readonly live: ConfigHarness["live"] }) {
  return (status.items ?? []).filter(isApplied).filter(({ desiredState, targetRef }) => {
    const object: KubeObject | undefined = live(targetRef);
    if (desiredState === undefined) return false;
    return object === undefined || desiredChanges(desiredState, object).length > 0;
  });
}

/** Phases that report the drift of applied items. */
const reporting: readonly (Phase | undefined)[] = [
  "InProgress",
  "Completed",
  "CompletedWithErrors",
  "Drifted",
  "Failed",
];

async function expectAgreement(harness: ConfigHarness, before: Status, metrics: ConfigMetrics): Promise<void> {
  const { config, status } = harness;
  const series = await metrics.read();
  const row = profileRow(config, harness.nowMs);
  const isManaged = status.phase !== "Ignored";
  const isStalled = conditionIs(status, "Stalled", "True");
  const hasDrifted = conditionIs(status, "Drifted", "True");
  const live = (ref: Parameters<ConfigHarness["live"]>[0]) => harness.live(ref);

  // Phase, drift and stuck state
  expect(row.phase).toBe(status.phase);
  expect(series.get(`config_phase small ${status.phase}`)).toBe(1);
  expect(row.isDrifted).toBe(hasDrifted);
  if (isManaged) expect(series.get("config_drifted")).toBe(Number(hasDrifted));
  expect(row.isStalled).toBe(isStalled);
  if (isStalled && status.phase === "InProgress")
    expect([phaseWord(row), row.progress]).toEqual(["Stuck", expect.stringMatching(/^stuck/)]);
  if (!isStalled) expect(row.progress ?? "").not.toMatch(/^stuck/);
  if (isManaged && conditionOf(status, "Stalled")?.reason === "RolloutStuck")
    expect(series.get("rollout_stuck")).toBe(1);

  // Drift is as the objects are
  const drifted = driftedTargets({ status, live });
  if (reporting.includes(status.phase)) expect([status.phase, hasDrifted]).toEqual([status.phase, drifted.length > 0]);
  const found = (ref: Parameters<ConfigHarness["live"]>[0]) => {
    const object = harness.live(ref);
    return object === undefined ? ({ kind: "absent" } as const) : ({ kind: "found", object } as const);
  };
  if (hasDrifted) expect(driftRows(config, found)).not.toEqual([]);
  const reasons = eventsForStatusChange(before, status, { moved: [] }).map(({ reason }) => reason);
  if (hasDrifted && !conditionIs(before, "Drifted", "True")) expect(reasons).toContain("DriftDetected");

  // Node counts
  if (isManaged && isRolloutOpen(status)) {
    const shown = Object.entries(shownNodes(harness, series)).filter(([, nodes]) => nodes !== undefined);
    const distinct = new Set(shown.map(([, nodes]) => JSON.stringify(nodes)));
    expect({ shown, distinct: distinct.size }).toEqual({ shown, distinct: Math.min(1, shown.length) });
  }

  // An all-clear is one everywhere, and true
  const isReady = conditionIs(status, "Ready", "True");
  if (isClear(status) && isReady) {
    expect(drifted).toEqual([]);
    expect([row.isDrifted, isStalled]).toEqual([false, false]);
    const isPlanned = status.items?.some(({ name }) => name === "kernel") === true;
    if (isPlanned && !harness.behaviour.isPoolSilent) expect(harness.updatedNodes).toBe(harness.nodes.length);
  }
  if (isClear(status) && nextStepOf(config).kind === "done") expect(isReady).toBe(true);
}

test("node counts, phase, drift and stuck state never contradict each other on any surface", async () => {
  const law = fc.asyncProperty(anyHistory, fc.integer({ min: 1, max: 4 }), async (history, nodes) => {
    const harness = new ConfigHarness({ nodes, diagnose });
    harness.put(inputRef, { data: { limit: "5" } });
    const metrics = new ConfigMetrics(harness);
    for (const { event, reconciles } of history) {
      event[1](harness);
      for (let round = 0; round < reconciles; round += 1) {
        const before = harness.status;
        const { requeue } = harness.reconcile();
        if (requeue.when !== "retry") await expectAgreement(harness, before, metrics);
      }
    }
  });
  await fc.assert(law, runsForCost(2));
});
