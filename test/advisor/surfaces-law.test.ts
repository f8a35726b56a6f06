// All surfaces of a config agree in random histories: status, columns, command line, console, metrics and events.

import {
  conditionIs,
  conditionOf,
  eventsForStatusChange,
  isApplied,
  isRolloutOpen,
  rolloutChanges,
} from "@virt/advisor";
import { ConfigHarness, type DiagnoseHarness } from "@virt/advisor/testing/config-harness";
import { inputRef, machineTarget } from "@virt/advisor/testing/small-profile";
import { type Condition, fieldManagers, type Item, type KubeObject, type Phase, type Status } from "@virt/api";
import { assessed, diagnoseOnce, diagnoseRollout, notAssessed } from "@virt/impact";
import { Registry } from "@virt/kube";
import { desiredChanges } from "@virt/objects";
import { type ClusterDiagnosis, collectClusterFacts, collectDoctorFacts, type ListFacts } from "@virt/reads";
import { runsForCost } from "@virt/testkit/law-runs";
import {
  driftRows,
  nextStepOf,
  phaseWord,
  profileRow,
  type RollingPool,
  rollingPools,
  uncheckedText,
  unrenderedPools,
  viewRollout,
} from "@virt/views";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rollingPoolBlocks } from "../../apps/cli/src/rolling-pools.ts";
import { statusBlocks } from "../../apps/cli/src/status-blocks.ts";
import { exitCodeOfDiagnosis } from "../../apps/cli/src/verbs/doctor.ts";
import { gridOf } from "../../apps/console/src/pages/data/pool-grid.ts";
import { configGauges } from "../../apps/operator/src/advisor/metrics.ts";
import { anyHistory, historyOf } from "./harness-events.ts";
import { knownHistories } from "./known-histories.ts";

/** Other kinds are not served, except unreadable VMs. */
function listsOf(
  objects: Readonly<Record<string, readonly KubeObject[]>>,
  { behaviour }: { readonly behaviour: Pick<ConfigHarness["behaviour"], "areVmsReadable"> },
): ListFacts {
  return ({ kind }) => {
    if (kind === "VirtualMachineInstance" && !behaviour.areVmsReadable) return notAssessed("Forbidden", "403");
    const found = objects[kind];
    return found === undefined ? notAssessed("NotServed") : assessed(found);
  };
}

/** The shipped operator's diagnosis, from nodes and pools only. */
const diagnose: DiagnoseHarness = (facts, nodes, { areVmsReadable }) => {
  const { config, pools, live, renderedOf, now } = facts;
  const collected = collectDoctorFacts({
    disruption: [],
    renderedOf,
    list: listsOf({ Node: nodes, MachineConfigPool: pools }, { behaviour: { areVmsReadable } }),
    hco: undefined,
    now,
    changes: rolloutChanges(config, live, pools, renderedOf),
    areVmsNamed: true,
  });
  const doctorFacts = { ...collected, pools, before: config.status?.rollout };
  const { rollout, nextAt } = diagnoseRollout(doctorFacts);
  return { rollingNodes: doctorFacts, diagnosed: { rollout, dueMs: 0, nextMs: nextAt } };
};

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

/** A condition that is False keeps its last message from when it was True, except Ready. */
function shownConditions({ conditions = [] }: Status): readonly Condition[] {
  return conditions.filter(({ type, status }) => status === "True" || type === "Ready");
}

function rollingOf({ pool, config }: ConfigHarness): readonly RollingPool[] {
  const planned = new Set([machineTarget.name]);
  return rollingPools({ pools: [pool], configs: [config], platformWrites: [], planned });
}

/** Diagnoses all pools without earlier state, like `doctor`. */
function diagnoseAll(harness: ConfigHarness): ClusterDiagnosis {
  const { config, pool, nodes, nowMs } = harness;
  const machineConfig = harness.live(machineTarget);
  const lists: Readonly<Record<string, readonly KubeObject[]>> = {
    Node: nodes,
    MachineConfigPool: [pool],
    MachineConfig: machineConfig === undefined ? [] : [machineConfig],
  };
  const facts = collectClusterFacts(listsOf(lists, harness), { configs: [config], pools: undefined, now: nowMs });
  const notAssessed = facts.notAssessed.map(({ what, reason, message }) => ({ kind: what, reason, message }));
  return { ...diagnoseOnce(facts), pools: [pool.metadata.name], notAssessed };
}

function shownNodes(
  harness: ConfigHarness,
  metrics: ReadonlyMap<string, number>,
  diagnosis: ClusterDiagnosis | undefined,
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
  const [rolling] = rollingOf(harness);
  // Excludes pools that another cause rolls, and pools without counts.
  const isOfPlan = status.progress !== undefined && rolling?.causes.some(({ kind }) => kind === "plan") === true;
  // In any other phase the items belong to a stopped plan.
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
    doctor: diagnosis && {
      updated: sum(diagnosis.rollout.pools.map(({ done }) => done)),
      total: sum(diagnosis.rollout.pools.map(({ total }) => total)),
    },
    ...Object.fromEntries(
      shownConditions(status).map(({ type, message }) => [`condition ${type}`, nodesInText(message)]),
    ),
    ...Object.fromEntries(running.map(({ name, message }) => [`item ${name}`, nodesInText(message)])),
  };
}

const isClear = ({ phase }: Status) => phase === "Completed" || phase === "CompletedWithUpgrade";

/**
 * Returns applied targets whose content differs from the plan. Excludes objects that others created after a deletion.
 */
function driftedTargets(harness: ConfigHarness): readonly Item[] {
  const { status } = harness;
  return (status.items ?? []).filter(isApplied).filter(({ desiredState, targetRef }) => {
    const object = harness.live(targetRef);
    if (desiredState === undefined) return false;
    return object === undefined || desiredChanges(desiredState, object).length > 0;
  });
}

const reporting: readonly (Phase | undefined)[] = [
  "InProgress",
  "Completed",
  "CompletedWithErrors",
  "Drifted",
  "Failed",
];

type Claim = readonly [what: string, holds: boolean];

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
    ...nodeClaims(harness, before, series),
    ...rollingClaims(harness),
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
      "drift is reported if and only if a target differs",
      !reporting.includes(status.phase) || hasDrifted === driftedTargets(harness).length > 0,
    ],
    ["the row shows the drift", profileRow(config, harness.nowMs).isDrifted === hasDrifted],
    ["the metric shows the drift", status.phase === "Ignored" || metric === Number(hasDrifted)],
    ["drift has rows", !hasDrifted || rows.length > 0],
    ["drift has an event", !isNew || reasons.includes("DriftDetected")],
  ];
}

/** Reports whether the counts in the status come from this reconcile's diagnosis. */
function isDiagnosed({ config, status }: ConfigHarness, before: Status): boolean {
  return (
    isRolloutOpen(before) && isRolloutOpen(status) && status.phase !== "Ignored" && config.spec.action !== "Ignore"
  );
}

/**
 * Identifies the running rollouts. For one that starts in this reconcile, `doctor` counts updated nodes, but the status
 * does not yet.
 */
function begunIn({ rollouts = [], items = [] }: Status): string {
  return JSON.stringify([rollouts, items.map(({ name, state }) => [name, state])]);
}

function nodeClaims(harness: ConfigHarness, before: Status, series: ReadonlyMap<string, number>): readonly Claim[] {
  const { status } = harness;
  if (!isRolloutOpen(status) && status.progress === undefined) return [];
  const diagnosis = isDiagnosed(harness, before) ? diagnoseAll(harness) : undefined;
  // A plan counts no nodes until its pool has rendered the written objects. `doctor` counts every rollout of the pool.
  const isRendered = unrenderedPools(harness.config, [harness.pool]).size === 0;
  const isOngoing = status.phase === "InProgress" && isRendered && begunIn(before) === begunIn(status);
  const shown = Object.entries(shownNodes(harness, series, isOngoing ? diagnosis : undefined)).filter(
    ([, nodes]) => nodes !== undefined,
  );
  const distinct = new Set(shown.map(([, nodes]) => JSON.stringify(nodes)));
  const isBlocking = status.rollout?.findings.some(({ severity }) => severity === "blocking") === true;
  const isBlocked = status.phase === "InProgress" && isBlocking; // a stopped plan waits for nothing
  const isClear = diagnosis !== undefined && exitCodeOfDiagnosis(diagnosis) === 0;
  return [
    [`node counts agree: ${JSON.stringify(shown)}`, distinct.size <= 1],
    ["doctor gives no all-clear for a blocked rollout", !(isBlocked && isClear)],
    ["doctor gives no all-clear without the VMs", harness.behaviour.areVmsReadable || !isClear],
  ];
}

/** `status` shows every updating pool with a true cause. */
function rollingClaims(harness: ConfigHarness): readonly Claim[] {
  const { config, status } = harness;
  const rolling = rollingOf(harness);
  const options = { now: harness.nowMs, program: "k", countVms: () => undefined, isDetailed: false, rolling };
  const screen = JSON.stringify([rollingPoolBlocks(rolling, [config], options), statusBlocks(config, options)]);
  const isBlamed = (cause: RollingPool["causes"][number]) =>
    cause.kind === "other" && cause.machineConfigs.includes(machineTarget.name);
  const isOurs = harness.lastWriter(machineTarget) === fieldManagers.advisor;
  const isGone = harness.live(machineTarget) === undefined;
  return rolling.flatMap(({ name, causes }): readonly Claim[] => [
    [`pool ${name} is shown`, screen.includes(`Pool ${name} is `) || screen.includes(`    ${name}  [`)],
    [`pool ${name} has a cause`, causes.length > 0],
    ["no other client is blamed for a write of the plan", !isOurs || !causes.some(isBlamed)],
    ["no ignored plan rolls the pool", status.phase !== "Ignored" || causes.every(({ kind }) => kind !== "plan")],
    ["nothing that is gone was left in place", !isGone || causes.every(({ kind }) => kind !== "leftover")],
  ]);
}

/** No surface reports an unblocked rollout unless the diagnosis could read everything. */
function gapClaims(harness: ConfigHarness, before: Status): readonly Claim[] {
  const { config, status, behaviour } = harness;
  const view = viewRollout(config, harness.nowMs);
  if (view === undefined) return [];
  if (!isRolloutOpen(status)) return [["an ended rollout has no unread inputs", view.notAssessed.length === 0]];
  if (!isDiagnosed(harness, before)) return [];
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

/** An all-clear is consistent on all surfaces, and true. */
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
