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
import type { Item, Phase, Status } from "@virt/api";
import {
  driftRows,
  nextStepOf,
  phaseWord,
  profileRow,
  rollingPools,
  uncheckedText,
  unrenderedPools,
  viewRollout,
} from "@virt/client";
import { desiredChanges } from "@virt/engine";
import { assessed, diagnoseRollout, notAssessed } from "@virt/impact";
import { Registry } from "@virt/kube";
import { collectDoctorFacts } from "@virt/reads";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { statusBlocks } from "../../../apps/cli/src/status-blocks.ts";
import { gridOf } from "../../../apps/console/src/pages/data/pool-grid.ts";
import { configGauges } from "../../../apps/operator/src/advisor/metrics.ts";
import { type KnownHistory, knownHistories } from "./known-histories.ts";

/** The diagnosis of the shipped operator, from nodes and pools alone. */
const diagnose: DiagnoseHarness = (facts, nodes, { areVmsReadable }) => {
  const { config, pools, live, renderedOf, now } = facts;
  const lists = new Map([
    ["Node", assessed(nodes)],
    ["MachineConfigPool", assessed(pools)],
  ]);
  const collected = collectDoctorFacts({
    disruption: [],
    renderedOf,
    list: ({ kind }) =>
      kind === "VirtualMachineInstance" && !areVmsReadable
        ? notAssessed("Forbidden", "403")
        : (lists.get(kind) ?? notAssessed("NotServed")),
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
  ["VMs cannot be read", behave({ areVmsReadable: false })],
  ["VMs can be read", behave({ areVmsReadable: true })],
  ["an outage", behave({ isUnavailable: true })],
  ["the end of an outage", behave({ isUnavailable: false })],
];

const anyHistory = fc.array(
  fc.record({ event: fc.constantFrom(...events), reconciles: fc.integer({ min: 1, max: 6 }) }),
  { minLength: 2, maxLength: 9, size: "max" },
);

function historyOf(known: KnownHistory) {
  return known.map(([name, reconciles]) => ({
    event: events.find(([event]) => event === name) ?? never(name),
    reconciles,
  }));
}

function never(name: string): never {
  throw new Error(`no event is called ${name}`);
}

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
    unrendered: unrenderedPools(config, [harness.pool]),
  });
  const [rolling] = rollingPools({ pools: [harness.pool], configs: [config], platformWrites: [] });
  // Else it is not the plan that rolls the pool, or nothing counts its nodes yet.
  const isOfPlan = status.progress !== undefined && rolling?.causes.some(({ kind }) => kind === "plan") === true;
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
    overview:
      rolling && rolling.updated !== undefined && isOfPlan
        ? { updated: rolling.updated, total: rolling.total }
        : undefined,
    metric: counted === undefined ? undefined : { updated: counted, total: harness.nodes.length },
    ...Object.fromEntries(running.map(({ name, message }) => [`item ${name}`, nodesInText(message)])),
  };
}

const isClear = ({ phase }: Status) => phase === "Completed" || phase === "CompletedWithUpgrade";

/** Applied targets that are not as the plan left them, by their content. What others create after a deletion is theirs. */
function driftedTargets(harness: ConfigHarness): readonly Item[] {
  const { status } = harness;
  return (status.items ?? []).filter(isApplied).filter(({ desiredState, targetRef }) => {
    const object = harness.live(targetRef);
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

type Claim = readonly [what: string, holds: boolean];

/** Claims that must hold together. */
function claimsOf(harness: ConfigHarness, before: Status, series: ReadonlyMap<string, number>): readonly Claim[] {
  const { config, status } = harness;
  const row = profileRow(config, harness.nowMs);
  const isManaged = status.phase !== "Ignored";
  const isStalled = conditionIs(status, "Stalled", "True");
  const isStuck = conditionOf(status, "Stalled")?.reason === "RolloutStuck";
  const column = row.progress ?? "";
  return [
    ["the row shows the phase of the status", row.phase === status.phase],
    ["the metric shows the phase of the status", series.get(`config_phase small ${status.phase}`) === 1],
    ["the row is stalled like the condition", row.isStalled === isStalled],
    ["a stuck rollout is called stuck", !(isStalled && status.phase === "InProgress") || phaseWord(row) === "Stuck"],
    ["the column calls it stuck", !(isStalled && status.phase === "InProgress") || column.startsWith("stuck")],
    ["the column calls nothing else stuck", isStalled || !column.startsWith("stuck")],
    ["the metric calls it stuck", !(isManaged && isStuck) || series.get("rollout_stuck") === 1],
    ...driftClaims(harness, before, series),
    ...nodeClaims(harness, series),
    ...gapClaims(harness, before),
    ...clearClaims(harness),
  ];
}

function driftClaims(harness: ConfigHarness, before: Status, series: ReadonlyMap<string, number>): readonly Claim[] {
  const { config, status } = harness;
  const hasDrifted = conditionIs(status, "Drifted", "True");
  const isNew = hasDrifted && !conditionIs(before, "Drifted", "True");
  const reasons = eventsForStatusChange(before, status, { moved: [] }).map(({ reason }) => reason);
  const rows = driftRows(config, (ref) => {
    const object = harness.live(ref);
    return object === undefined ? { kind: "absent" } : { kind: "found", object };
  });
  const metric = series.get("config_drifted");
  return [
    [
      "drift is as the objects are",
      !reporting.includes(status.phase) || hasDrifted === driftedTargets(harness).length > 0,
    ],
    ["the row shows the drift", profileRow(config, harness.nowMs).isDrifted === hasDrifted],
    ["the metric shows the drift", status.phase === "Ignored" || metric === Number(hasDrifted)],
    ["drift has rows", !hasDrifted || rows.length > 0],
    ["drift has an event", !isNew || reasons.includes("DriftDetected")],
  ];
}

function nodeClaims(harness: ConfigHarness, series: ReadonlyMap<string, number>): readonly Claim[] {
  if (!isRolloutOpen(harness.status) && harness.status.progress === undefined) return [];
  const shown = Object.entries(shownNodes(harness, series)).filter(([, nodes]) => nodes !== undefined);
  const distinct = new Set(shown.map(([, nodes]) => JSON.stringify(nodes)));
  return [[`node counts agree: ${JSON.stringify(shown)}`, distinct.size <= 1]];
}

/** The rollout page, the overview and `status` say that nothing blocks only if the diagnosis could read everything. */
function gapClaims(harness: ConfigHarness, before: Status): readonly Claim[] {
  const { config, status, behaviour } = harness;
  const view = viewRollout(config, harness.nowMs);
  const isDiagnosed = isRolloutOpen(before) && isRolloutOpen(status) && status.phase !== "Ignored";
  if (view === undefined) return [];
  if (!isRolloutOpen(status)) return [["an ended rollout has no unread inputs", view.notAssessed.length === 0]];
  if (!isDiagnosed || config.spec.action === "Ignore") return [];
  const unchecked = uncheckedText(view);
  const options = { now: harness.nowMs, program: "k", countVms: () => undefined, isDetailed: false, rolling: [] };
  const printed = JSON.stringify(statusBlocks(config, options));
  const reasons = eventsForStatusChange(before, status, { moved: [] }).map(({ reason }) => reason);
  return [
    ["an unread input is shown, and only then", (unchecked === undefined) === behaviour.areVmsReadable],
    ["the command line shows unread inputs", printed.includes("ould not check") === (unchecked !== undefined)],
    ["no event says that nothing blocks", behaviour.areVmsReadable || !reasons.includes("RolloutResumed")],
  ];
}

/** An all-clear is one everywhere, and true. */
function clearClaims(harness: ConfigHarness): readonly Claim[] {
  const { config, status, behaviour } = harness;
  if (!isClear(status)) return [];
  const isReady = conditionIs(status, "Ready", "True");
  const isPlanned = status.items?.some(({ name }) => name === "kernel") === true;
  const isCounted = isPlanned && !behaviour.isPoolSilent;
  return [
    ["Ready has no drift", !isReady || driftedTargets(harness).length === 0],
    ["Ready is not stalled", !isReady || !conditionIs(status, "Stalled", "True")],
    ["Ready has all nodes updated", !(isReady && isCounted) || harness.updatedNodes === harness.nodes.length],
    ["nothing is left to do only if Ready", nextStepOf(config).kind !== "done" || isReady],
  ];
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
        const claims = requeue.when === "retry" ? [] : claimsOf(harness, before, await metrics.read());
        expect(claims.filter(([, holds]) => !holds)).toEqual([]);
      }
    }
  });
  const examples = knownHistories.flatMap((known) =>
    [1, 2].map((nodes): [ReturnType<typeof historyOf>, number] => [historyOf(known), nodes]),
  );
  await fc.assert(law, { ...runsForCost(2), examples });
});
