// Tests a complete rollout: phases, counts, measured times, the remaining time and the summary.

import type { NodeRolloutPhase } from "@virt/api";
import { readMachineConfigNodeFact, readVirtSettings } from "@virt/cluster";
import { expect, test } from "vitest";
import { notAssessed } from "../assessed.ts";
import { annotationPrefix, vmObject, vmsOn } from "../testing/cluster-builder.ts";
import { type Diagnosis, diagnoseRollout } from "./diagnose-rollout.ts";
import { terminatingPodsOf } from "./drain-errors.ts";
import { drainingNodes } from "./node-causes.ts";
import { hasKubeletDropIn } from "./rollout-view.ts";
import { budget, shopPod } from "./testing/finding-parts.ts";
import {
  diagnoseInTurn,
  nodeAnnotations,
  type RolloutGiven,
  reportOf,
  rollingNode,
  rollingPool,
  rolloutFacts,
} from "./testing/rollout-builder.ts";

const phaseOf = (given: RolloutGiven) => diagnoseInTurn([0, given])[0]?.rollout.nodes[0];

test.each(Object.keys(nodeAnnotations) as NodeRolloutPhase[])("a node is %s by its annotations", (phase) => {
  expect(phaseOf({ nodes: [rollingNode("worker-0", phase)] })?.phase).toBe(phase);
});

test("a node waits for its uncordon until the daemon sets Done", () => {
  const uncordoned = rollingNode("worker-0", "Uncordoning", {
    isCordoned: false,
    annotations: { [`${annotationPrefix}/lastAppliedDrain`]: "uncordon-rendered-2" },
  });
  expect(phaseOf({ nodes: [uncordoned] })?.phase).toBe("Uncordoning");
});

test("ignores the uncordon of the last update", () => {
  const annotations = Object.fromEntries(
    ["desiredDrain", "lastAppliedDrain"].map((name) => [`${annotationPrefix}/${name}`, "uncordon-rendered-1"]),
  );
  const node = rollingNode("worker-0", "Applying", { isCordoned: false, annotations });
  expect(phaseOf({ nodes: [node] })?.phase).toBe("Applying");
});

test("ten minutes without an uncordon do not degrade a node", () => {
  const reason = "failed to uncordon node: worker-0 after 10 minutes";
  const node = rollingNode("worker-0", "Uncordoning", { state: "Degraded", reason });
  expect(phaseOf({ nodes: [node] })?.phase).toBe("Uncordoning");
});

test("one hour of draining does not degrade a node", () => {
  const node = rollingNode("worker-0", "Draining", {
    state: "Degraded",
    reason: "failed to drain node: worker-0 after 1 hour",
  });
  expect(phaseOf({ nodes: [node] })?.phase).toBe("Draining");
});

test("a MachineConfigNode reports reboots, failures and steps", () => {
  const report = (type: string, status: string) => ({
    ...reportOf("worker-0", ""),
    status: { conditions: [{ type, status, message: "why" }] },
  });
  const nodes = [rollingNode("worker-0", "Applying")];
  expect(phaseOf({ nodes, reports: [report("AppliedFiles", "Unknown")] })).toMatchObject({ step: "AppliedFiles" });
  expect(phaseOf({ nodes, reports: [report("RebootedNode", "Unknown")] })?.phase).toBe("Rebooting");
  expect(phaseOf({ nodes, reports: [report("NodeDegraded", "True")] })?.phase).toBe("Degraded");
  const earlier = { ...report("RebootedNode", "Unknown"), spec: { configVersion: { desired: "rendered-1" } } };
  expect(phaseOf({ nodes, reports: [earlier] })?.phase).toBe("Applying");
});

const at = (...phases: readonly NodeRolloutPhase[]): RolloutGiven => ({
  nodes: phases.map((phase, index) => rollingNode(`worker-${index}`, phase, { isReady: phase !== "Rebooting" })),
});

test("all nodes wait until the pool renders the change", () => {
  const before = { name: "rendered-2", source: [{ name: "00-worker" }] };
  const nodes = ["worker-0", "worker-1"].map((name) => rollingNode(name, "Done"));
  const [unrendered] = diagnoseInTurn([0, { nodes, pools: [rollingPool({ configuration: before })] }]);
  expect(unrendered?.rollout.pools).toMatchObject([{ total: 2, done: 0, waiting: 2 }]);
  expect(unrendered?.rollout.findings).toEqual([]);
  const [rendered] = diagnoseInTurn([0, { nodes }]);
  expect(rendered?.rollout.pools).toMatchObject([{ total: 2, done: 2, waiting: 0 }]);
});

test("measures drains and restarts and keeps them for the next rollout", () => {
  const turns = diagnoseInTurn(
    [0, at("Waiting", "Waiting")],
    [10, at("Draining", "Waiting")],
    [110, at("Applying", "Waiting")],
    [150, at("Rebooting", "Waiting")],
    [900, at("Uncordoning", "Waiting")],
    [910, at("Done", "Draining")],
  );
  const last = turns.at(-1);
  const observed = { drainSeconds: [100], restartSeconds: [800] };
  expect(last?.rollout.pools).toEqual([
    { name: "worker", total: 2, done: 1, inHand: 1, waiting: 0, degraded: 0, observed },
  ]);
  const [next] = [diagnoseRollout(rolloutFacts(at("Waiting", "Waiting"), 5000, last))];
  expect(next?.rollout.pools[0]?.observed).toEqual(observed);
});

test("does not measure a step whose start was not observed", () => {
  const [first] = diagnoseInTurn([0, at("Rebooting")]);
  const facts = { ...rolloutFacts(at("Done"), 30, first), sightings: new Map<string, number>() };
  expect(diagnoseRollout(facts).rollout.pools[0]?.observed).toBeUndefined();
});

test("keeps the last 20 samples", () => {
  const samples = Array.from({ length: 20 }, (_, index) => index);
  const [first] = diagnoseInTurn([0, at("Draining")]);
  const before = {
    ...(first?.rollout ?? { summary: "", nodes: [], findings: [], more: { pools: 0, nodes: 0, findings: 0 } }),
    pools: [
      {
        name: "worker",
        total: 1,
        done: 0,
        inHand: 1,
        waiting: 0,
        degraded: 0,
        observed: { drainSeconds: samples, restartSeconds: [] },
      },
    ],
  };
  const facts = { ...rolloutFacts(at("Applying"), 77, first), before };
  expect(diagnoseRollout(facts).rollout.pools[0]?.observed?.drainSeconds).toEqual([...samples.slice(1), 77]);
});

test("the remaining time shrinks while nodes progress", () => {
  const remaining = diagnoseInTurn(
    [0, at("Draining", "Waiting")],
    [300, at("Rebooting", "Waiting")],
    [1500, at("Rebooting", "Waiting")],
    [1600, at("Done", "Done")],
  ).map(({ rollout }) => [rollout.remaining?.lowSeconds, rollout.remaining?.highSeconds]);
  // A node without VMs drains in 30 to 90 s and restarts in 600 to 1800 s.
  expect(remaining).toEqual([
    [1200, 3900],
    [1200, 3900],
    [600, 2700],
    [undefined, undefined],
  ]);
});

test("the summary has counts, active nodes and the remaining time, or the blocker", () => {
  const summaries = diagnoseInTurn(
    [0, at("Done", "Draining", "Waiting")],
    [120, { ...at("Done", "Draining", "Waiting"), vms: [vmObject("db", "worker-1", { isMigratable: false })] }],
    [240, { ...at("Done", "Draining", "Waiting"), vms: [vmObject("db", "worker-1", { isMigratable: false })] }],
  ).map(({ rollout }) => rollout.summary);
  expect(summaries).toEqual([
    "worker pool: 1 of 3 nodes updated, worker-1 is draining, about 20 minutes to 1.5 hours left",
    "worker pool: 1 of 3 nodes updated, worker-1 is draining, about 15 minutes to 1.5 hours left",
    "worker pool: 1 of 3 nodes updated, worker-1 is draining, stuck: VMNotMigratable on worker-1",
  ]);
});

test("reports when the next cause reaches its age", () => {
  const world = { ...at("Draining"), vms: [vmObject("db", "worker-0", { isMigratable: false })] };
  const [first, due] = diagnoseInTurn([0, world], [120, world]);
  expect(first?.nextAt).toBe(Date.UTC(2026, 0, 2) + 120_000);
  expect(due?.nextAt).toBeUndefined();
});

test("the first blocking finding comes first, with at most five per node", () => {
  const nodes = ["a", "b"].map((name) => rollingNode(name, "Draining"));
  const world = { nodes, vms: [...vmsOn(["b", "a"], 7, { isMigratable: false })] };
  const rollout = diagnoseInTurn([0, world], [120, world])[1]?.rollout;
  expect(rollout?.findings.map(({ node }) => node)).toEqual(["a", "a", "a", "a", "a", "b", "b", "b", "b", "b"]);
  expect(rollout?.more.findings).toBe(4);
});

test("without inputs, finds nothing and does not fail", () => {
  const facts = rolloutFacts(at("Draining"), 0);
  const missing = notAssessed("Forbidden");
  const blind = {
    ...facts,
    nodes: missing,
    vms: missing,
    migrations: missing,
    machineConfigNodes: missing,
    budgets: missing,
  };
  expect(diagnoseRollout({ ...blind, settings: missing, policies: missing, shape: missing }).rollout).toMatchObject({
    pools: [{ name: "worker", total: 0 }],
    findings: [],
  });
});

test("reports pods and budgets that are too large to compare", () => {
  const huge = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`label-${index}`, "x"]));
  const spec = { selector: { matchLabels: huge } };
  const drainedPods = { "worker-0": [shopPod, { ...shopPod, metadata: { ...shopPod.metadata, labels: huge } }] };
  const [diagnosis] = diagnoseInTurn([0, { ...at("Draining"), drainedPods, budgets: [{ ...budget("db"), spec }] }]);
  expect(diagnosis?.rollout.notAssessed).toEqual([
    { what: "Pod labels", reason: "TooMany", message: "1 pod in namespace shop with too many labels" },
    {
      what: "PodDisruptionBudget selectors",
      reason: "TooMany",
      message: "1 PodDisruptionBudget in namespace shop with too large a selector: 2 pods may block a drain",
    },
  ]);
});

test("without KubeVirt, uses the eviction strategy of the HyperConverged", () => {
  const world: RolloutGiven = {
    ...at("Draining"),
    vms: [vmObject("vm-0", "worker-0", { strategy: null, isMigratable: false })],
  };
  const fallbackSettings = { ...readVirtSettings(undefined, undefined), evictionStrategy: "LiveMigrate" };
  const diagnose = (seconds: number, last?: Diagnosis) =>
    diagnoseRollout({ ...rolloutFacts(world, seconds, last), settings: notAssessed("Forbidden"), fallbackSettings });
  const { findings } = diagnose(120, diagnose(0)).rollout;
  expect(findings.map(({ id }) => id)).toEqual(["VMNotMigratable"]);
});

test("reads valid pod names from the drain message, each once", () => {
  const waiting = (pod: string) => `error when waiting for pod "${pod}" in namespace "x" to terminate: t`;
  const message = `[error when evicting pods/"c" -n "x": 429, ${["b", "a", "b", "B; rm"].map(waiting).join(", ")}]`;
  const report = readMachineConfigNodeFact(reportOf("worker-0", message));
  expect(terminatingPodsOf(report)).toEqual(["b", "a"].map((name) => ({ namespace: "x", name })));
});

test("lists the pods of draining nodes only", () => {
  const phases = ["Waiting", "Draining", "Applying", "Rebooting", "Degraded", "Done"] as const;
  const nodes = phases.map((phase) => rollingNode(phase.toLowerCase(), phase));
  expect(drainingNodes(rolloutFacts({ nodes }, 0))).toEqual(["draining"]);
});

test("detects kubelet changes by files and units", () => {
  const config = (content: object) => ({
    apiVersion: "v1",
    kind: "MachineConfig",
    metadata: { name: "x" },
    spec: { config: { storage: {}, systemd: {}, ...content } },
  });
  const file = (path: string) => config({ storage: { files: [{ path }] } });
  expect(hasKubeletDropIn(file("/etc/openshift/kubelet.conf.d/90-swap.conf"))).toBe(true);
  expect(hasKubeletDropIn(file("/etc/find-swap-partition"))).toBe(false);
  expect(hasKubeletDropIn(config({ systemd: { units: [{ name: "kubelet.service" }] } }))).toBe(true);
  expect(hasKubeletDropIn(undefined)).toBe(false);
});

const gapOf = (message: string) => ({ what: "Node", reason: "Unavailable", message }) as const;

test("lists unread inputs, or none", () => {
  const [whole, unread] = diagnoseInTurn([0, {}], [1, { notAssessed: [gapOf("503")] }]);
  expect(whole?.rollout).not.toHaveProperty("notAssessed");
  expect(unread?.rollout.notAssessed).toEqual([gapOf("503")]);
});

test("keeps the message of a gap with the same reason", () => {
  const [first, second, third] = diagnoseInTurn(
    [0, { notAssessed: [gapOf("timeout after 1001 ms")] }],
    [1, { notAssessed: [gapOf("timeout after 1002 ms")] }],
    [2, { notAssessed: [{ ...gapOf("403"), reason: "Forbidden" }] }],
  );
  expect(second?.rollout).toEqual(first?.rollout);
  expect(third?.rollout.notAssessed).toMatchObject([{ reason: "Forbidden", message: "403" }]);
});

test("bounds the gaps", () => {
  const notAssessed = Array.from({ length: 40 }, (_, at) => ({ ...gapOf("x".repeat(500)), what: `Kind${at}` }));
  const [diagnosis] = diagnoseInTurn([0, { notAssessed }]);
  const gaps = diagnosis?.rollout.notAssessed ?? [];
  expect(gaps).toHaveLength(16);
  expect(gaps.every(({ message }) => message.length === 160)).toBe(true);
});
