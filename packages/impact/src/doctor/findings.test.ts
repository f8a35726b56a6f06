// Tests each finding alone: it appears at the right age, with its message and command, and clears with its cause.

import { describe, expect, test } from "vitest";
import { annotationPrefix, nodeObject } from "../testing/cluster-builder.ts";
import { findingCatalogue } from "./catalogue.ts";
import { diagnoseRollout } from "./diagnose-rollout.ts";
import { DrainErrors } from "./drain-errors.ts";
import { findingRemedies } from "./remedies.ts";
import { drainFindingWorlds } from "./testing/drain-finding-worlds.ts";
import { big, draining, healthy, operator, others, vmOn, withVm } from "./testing/finding-parts.ts";
import { poolFindingWorlds } from "./testing/pool-finding-worlds.ts";
import {
  diagnoseInTurn,
  migrationObject,
  psiChange,
  type RolloutGiven,
  reportOf,
  rollingNode,
  rolloutFacts,
} from "./testing/rollout-builder.ts";

const worlds = [...poolFindingWorlds, ...drainFindingWorlds];

test("tests every finding of the catalogue once", () => {
  expect(worlds.map(({ id }) => id).toSorted()).toEqual(Object.keys(findingCatalogue).toSorted());
});

describe.each(worlds)("$id", ({ id, world, age, message, command, severity }) => {
  const shown = (given: readonly (readonly [number, RolloutGiven])[]) =>
    diagnoseInTurn(...given).map(({ rollout }) => rollout.findings);

  test("is reported alone exactly at its age", () => {
    const early = age > 0 ? [[0, world] as const, [age - 1, world] as const] : [];
    const all = shown([...early, [age, world]]);
    const due = all.at(-1) ?? [];
    expect(all.slice(0, -1).flat()).toEqual([]);
    expect(due.map((finding) => finding.id)).toEqual([id]);
    expect(due[0]).toMatchObject({ message, severity: severity ?? findingCatalogue[id].ages[0]?.severity });
    expect(due[0]?.command).toBe(command);
    expect(due[0]?.since).toBe("2026-01-02T00:00:00Z");
  });

  test("ends with its cause", () => {
    const done = { nodes: [rollingNode("worker-0", "Done"), rollingNode("worker-1", "Done")] };
    expect(
      shown([
        [0, world],
        [age, world],
        [age + 1, done],
      ]).at(-1),
    ).toEqual([]);
  });
});

test("the command changes nothing if the user has a choice", () => {
  const found = worlds.flatMap(({ world, age }) => diagnoseInTurn([0, world], [age, world])[1]?.rollout.findings ?? []);
  const choices = found.filter((finding) => findingRemedies(finding).length > 0);
  expect(choices.map(({ id }) => id)).toEqual([
    "PoolPaused",
    "VMNotMigratable",
    "VMNoTarget",
    "PodBudget",
    "TwoBudgets",
  ]);
  expect(choices.filter(({ command }) => command?.startsWith("oc describe ") !== true)).toEqual([]);
});

test("a migration without a target blocks after five minutes, over pending attempts", () => {
  const attempt = (at: number, phase: string) => migrationObject("vm-0", phase, { at });
  const worlds: readonly (readonly [number, RolloutGiven])[] = [
    [0, withVm(vmOn(big), [attempt(0, "Scheduling")])],
    [290, withVm(vmOn(big), [attempt(0, "Failed")])],
    [310, withVm(vmOn(big), [attempt(0, "Failed"), attempt(1, "Scheduling")])],
    [320, withVm(vmOn(big), [attempt(0, "Failed"), attempt(1, "Running")])],
  ];
  const found = diagnoseInTurn(...worlds).map(({ rollout }) => rollout.findings.map(({ severity }) => severity));
  expect(found).toEqual([[], ["warning"], ["blocking"], []]);
});

const worldOf = (id: string) =>
  drainFindingWorlds.find((each) => each.id === id)?.world ?? expect.fail(`no world for ${id}`);

test("queued migrations keep their age while lanes are taken, also after a restart", () => {
  const [queued, taken] = [worldOf("MigrationsQueued"), worldOf("LanesTaken")];
  const all = diagnoseInTurn([0, queued], [100, taken], [500, taken], [600, queued]);
  expect(all[2]?.rollout.findings.map(({ id }) => id)).toEqual(["LanesTaken"]);
  expect(all[3]?.rollout.findings).toMatchObject([{ id: "MigrationsQueued", since: "2026-01-02T00:00:00Z" }]);
  const restarted = diagnoseRollout({ ...rolloutFacts(queued, 710, all[2]), sightings: new Map() });
  expect(restarted.rollout.findings).toMatchObject([{ id: "MigrationsQueued", since: "2026-01-02T00:01:40Z" }]);
});

test("a migration on hold for a backup or utility volume is a warning", () => {
  for (const [type, words] of [
    ["migrationBlockedByBackup", "a backup"],
    ["migrationBlockedByUtilityVolumes", "a utility volume"],
  ] as const) {
    const held = migrationObject("vm-0", "Pending", { status: { conditions: [{ type, status: "True" }] } });
    const world = withVm(vmOn(), [held]);
    const [, last] = diagnoseInTurn([0, world], [120, world]);
    expect(last?.rollout.findings).toMatchObject([
      { severity: "warning", message: `Migration of VM vms/vm-0 is blocked by ${words}` },
    ]);
  }
});

const tried = (type: string, status: string, message: string) => ({ type, status, message });
const wasRefused = tried("Accepted", "False", "Error: bad");
const wasAccepted = tried("Accepted", "True", "Success");

test.each([
  ["was fixed", [wasRefused, wasAccepted, tried("Success", "True", "Success")], []],
  ["was broken", [wasAccepted, wasRefused, tried("Failure", "True", "Error: bad")], ["KubeletConfigFailed"]],
  [
    "was broken, in an older release",
    [tried("Success", "True", "Success"), tried("Failure", "False", "Error: bad")],
    ["KubeletConfigFailed"],
  ],
  [
    "was fixed, in an older release",
    [tried("Failure", "False", "Error: bad"), tried("Success", "True", "Success")],
    [],
  ],
])("for a KubeletConfig that %s, the newest attempt counts", (_how, conditions, ids) => {
  const config = {
    ...operator("KubeletConfig", conditions),
    metadata: { name: "tuned" },
    spec: { machineConfigPoolSelector: { matchLabels: { pool: "worker" } } },
  };
  const world = { ...healthy, kubeletConfigs: [config] };
  expect(diagnoseInTurn([0, world], [60, world])[1]?.rollout.findings.map(({ id }) => id)).toEqual(ids);
});

test("a drain without a report for ten minutes means that the operator is down", () => {
  const reported = (time: string): RolloutGiven => ({ nodes: draining, reports: [reportOf("worker-0", "", time)] });
  const ids = diagnoseInTurn(
    [0, reported("a")],
    [500, reported("b")],
    [1099, reported("b")],
    [1100, reported("b")],
  ).map(({ rollout }) => rollout.findings.map(({ id }) => id));
  expect(ids).toEqual([[], [], ["DrainSlow"], ["ControllerDown"]]);
});

test("an uncordon pending for ten minutes means that the operator is down", () => {
  const world: RolloutGiven = { nodes: [rollingNode("worker-0", "Uncordoning"), ...others] };
  const turns = diagnoseInTurn([0, world], [599, world], [600, world]).map(({ rollout }) => rollout.findings);
  expect(turns.map((findings) => findings.map(({ id, since }) => `${id} ${since}`))).toEqual([
    [],
    [],
    ["ControllerDown 2026-01-02T00:00:00Z"],
  ]);
  const uncordoned = rollingNode("worker-0", "Uncordoning", {
    isCordoned: false,
    annotations: { [`${annotationPrefix}/lastAppliedDrain`]: "uncordon-rendered-2" },
  });
  const acted: RolloutGiven = { nodes: [uncordoned, ...others] };
  expect(diagnoseInTurn([0, acted], [600, acted]).at(-1)?.rollout.findings).toEqual([]);
});

test("a report on any draining node shows that the operator is up", () => {
  const nodes = ["worker-0", "worker-1"].map((name) => rollingNode(name, "Draining"));
  const reported = (time: string): RolloutGiven => ({
    nodes,
    reports: [reportOf("worker-0", "", time), reportOf("worker-1", "", "long ago")],
  });
  const ids = diagnoseInTurn([0, reported("a")], [300, reported("b")], [600, reported("b")], [900, reported("b")]).map(
    ({ rollout }) => rollout.findings.map(({ id }) => id),
  );
  expect(ids).toEqual([[], [], [], ["ControllerDown"]]);
});

test("a drain error counts during the next attempt and ends with another report", () => {
  const said = (message: string): RolloutGiven => ({ nodes: draining, reports: [reportOf("worker-0", message)] });
  const failed = said('Error: error when waiting for pod "a" in namespace "apps" to terminate: timeout');
  const trying = said("Draining node. The drain will not be complete until b matches a");
  const ids = diagnoseInTurn(
    [0, failed],
    [60, trying],
    [150, failed],
    [599, trying],
    [600, trying],
    [610, said("Error: error when evicting pods: timeout")],
  ).map(({ rollout }) => rollout.findings.map(({ id }) => id));
  expect(ids).toEqual([[], [], [], [], ["PodTerminating"], []]);
});

const trying = reportOf("worker-0", "Draining node. The drain will not be complete until b matches a");
const webhookDown = 'Error: failed calling webhook "virt-launcher-eviction-interceptor.kubevirt.io": refused';

test("an overwritten drain error counts until the drain ends", () => {
  const drainErrors = new DrainErrors();
  const world: RolloutGiven = { nodes: draining, reports: [trying], drainErrors };
  drainErrors.note(reportOf("worker-0", webhookDown));
  drainErrors.note(trying);
  const findings = diagnoseInTurn([0, world], [120, world]).at(-1)?.rollout.findings;
  expect(findings).toMatchObject([{ id: "EvictionWebhookDown", since: "2026-01-02T00:00:00Z" }]);
  const done = { type: "Drained", status: "True", message: "Drained node." };
  drainErrors.note({ ...trying, status: { conditions: [done] } });
  expect(diagnoseInTurn([0, world], [120, world]).at(-1)?.rollout.findings).toEqual([]);
});

test("an error of an earlier drain does not count", () => {
  const drainErrors = new DrainErrors();
  drainErrors.note({ ...reportOf("worker-0", webhookDown), spec: { configVersion: { desired: "rendered-1" } } });
  const world: RolloutGiven = { nodes: draining, reports: [trying], drainErrors };
  expect(diagnoseInTurn([0, world], [120, world]).at(-1)?.rollout.findings).toEqual([]);
});

test("ignores a pod in the error that has left the node", () => {
  const error = 'Error: error when waiting for pod "a" in namespace "apps" to terminate: timeout';
  const world: RolloutGiven = {
    nodes: draining,
    reports: [reportOf("worker-0", error)],
    drainedPods: { "worker-0": [] },
  };
  expect(diagnoseInTurn([0, world], [600, world]).at(-1)?.rollout.findings).toEqual([]);
});

test("knows when a cause will be reported", () => {
  const reported: RolloutGiven = { nodes: draining, reports: [reportOf("worker-0", "", "a")] };
  const copied = withVm(vmOn(), [migrationObject("vm-0", "Running")]);
  const nextOf = (world: RolloutGiven) => diagnoseInTurn([0, world])[0]?.nextAt;
  expect(nextOf(reported)).toBe(Date.UTC(2026, 0, 2) + 600_000);
  expect(nextOf(copied)).toBe(Date.UTC(2026, 0, 2) + 0.8 * 150 * 8 * 1000 + 1);
});

test.each([
  ["at first", "true"],
  ["also when KubeVirt has not heard of it for minutes", "false"],
])("a VM that can only move to a returning node is not blocking, %s", (_when, schedulable) => {
  const spec = { nodeSelector: { disk: "local" } };
  const labels = { disk: "local", "kubevirt.io/schedulable": schedulable };
  const nodes = [rollingNode("worker-0", "Draining"), rollingNode("worker-1", "Rebooting", { isReady: false, labels })];
  const world: RolloutGiven = { nodes, vms: [vmOn({ spec })], vmims: [migrationObject("vm-0", "Pending")] };
  expect(diagnoseInTurn([0, world], [600, world])[1]?.rollout.findings).toEqual([]);
});

/** Returns a node that is cordoned for an earlier target config of its pool. */
const earlierNode = (annotations: Readonly<Record<string, string>>) =>
  nodeObject("worker-0", {
    isCordoned: true,
    annotations: Object.fromEntries(
      Object.entries({ desiredConfig: "rendered-1b", state: "Working", ...annotations }).map(([key, text]) => [
        `${annotationPrefix}/${key}`,
        text,
      ]),
    ),
  });
const earlierDrain = { desiredDrain: "drain-rendered-1b" };

test("no finding for waiting nodes and for earlier targets in time", () => {
  const world = { nodes: [earlierNode(earlierDrain), ...others] };
  expect(diagnoseInTurn([0, world], [600, world])[1]?.rollout.findings).toEqual([]);
});

test("a blocked drain is reported for earlier targets and after an hour", () => {
  const vms = [vmOn({ isMigratable: false })];
  const degraded = { ...earlierDrain, state: "Degraded", reason: "failed to drain node: worker-0 after 1 hour" };
  const turns = diagnoseInTurn(
    [0, { nodes: draining, vms }],
    [120, { nodes: draining, vms }],
    [130, { nodes: [earlierNode(earlierDrain), ...others], vms }],
    [4000, { nodes: [earlierNode(degraded), ...others], vms }],
  ).map(({ rollout }) => rollout);
  expect(turns.map(({ findings }) => findings.map(({ id, since }) => `${id} ${since}`))).toEqual([
    [],
    ...[120, 130, 4000].map(() => ["VMNotMigratable 2026-01-02T00:00:00Z"]),
  ]);
  expect(turns.at(-1)).toMatchObject({ pools: [{ waiting: 2, inHand: 1 }], nodes: [{ phase: "Draining" }, {}, {}] });
});

test("a node that reboots to an earlier target is in progress, then waits", () => {
  const drained = { ...earlierDrain, lastAppliedDrain: earlierDrain.desiredDrain };
  const rebooting = earlierNode({ ...drained, "post-config-action": "Rebooting" });
  const back = nodeObject("worker-0", {
    annotations: Object.fromEntries(
      ["currentConfig", "desiredConfig"].map((name) => [`${annotationPrefix}/${name}`, "rendered-1b"]),
    ),
  });
  const turns = diagnoseInTurn([0, { nodes: [rebooting, ...others] }], [60, { nodes: [back, ...others] }]);
  expect(turns.map(({ rollout }) => rollout)).toMatchObject([
    { pools: [{ inHand: 1, waiting: 2, done: 0 }], nodes: [{ name: "worker-0", phase: "Rebooting" }, {}, {}] },
    { pools: [{ inHand: 0, waiting: 3, done: 0 }] },
  ]);
  expect(turns[0]?.rollout.summary).toContain("worker-0 is rebooting");
});

test("an overdue reboot to an earlier target does not blame the change", () => {
  const drained = { ...earlierDrain, lastAppliedDrain: earlierDrain.desiredDrain };
  const rebooting = { ...drained, "post-config-action": "Rebooting" };
  const down = { ...earlierNode(rebooting), status: { conditions: [{ type: "Ready", status: "Unknown" }] } };
  const world = { nodes: [down, ...others], changes: [{ ...psiChange, hasKubeletDropIn: true }] };
  const ids = diagnoseInTurn([0, world], [2699, world], [2700, world]).map(({ rollout }) =>
    rollout.findings.map(({ id }) => id),
  );
  expect(ids).toEqual([[], [], ["RebootOverdue"]]);
});

test("a descheduler that waits for PSI of this rollout is not a finding", () => {
  const reason = "profile KubeVirtRelieveAndMigrate can only be used when PSI metrics are enabled for the worker nodes";
  const condition = { type: "TargetConfigControllerDegraded", status: "True", reason, message: "" };
  const world = { ...healthy, operators: [operator("KubeDescheduler", [condition])] };
  expect(diagnoseInTurn([0, world], [600, world]).flatMap(({ rollout }) => rollout.findings)).toEqual([]);
});
