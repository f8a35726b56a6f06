// Properties of every diagnosis: bounds, totals, shell-safe commands, and independence of list order.

import type { KubeObject, RolloutStatus } from "@virt/api";
import { utf8Length } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCluster } from "../testing/any-cluster.ts";
import { poolObject, vmObject } from "../testing/cluster-builder.ts";
import { diagnoseRollout } from "./diagnose-rollout.ts";
import {
  diagnoseInTurn,
  migrationObject,
  nodeAnnotations,
  type RolloutGiven,
  reportOf,
  rollingNode,
  rollingPool,
  rolloutFacts,
} from "./testing/rollout-builder.ts";

const phases = Object.keys(nodeAnnotations) as readonly (keyof typeof nodeAnnotations)[];
const names = ["n-0", "n-1", "n-2", "n-3", "n-4", "n-5"];

const anyMigration = fc
  .record({
    vm: fc.constantFrom("vm-0", "vm-1", "vm-2"),
    phase: fc.constantFrom("", "Pending", "Scheduling", "Running", "Failed", "Failed", "Succeeded"),
    at: fc.nat(59),
    hold: fc.constantFrom(undefined, "migrationRejectedByResourceQuota", "migrationBlockedByBackup"),
  })
  .map(({ vm, phase, at, hold }) =>
    migrationObject(vm, phase, {
      at,
      status: {
        conditions: hold ? [{ type: hold, status: "True" }] : [],
        migrationState: { failureReason: `virt-launcher-${vm}-x is not ready` },
      },
    }),
  );

const anyMessage = fc.constantFrom(
  "",
  'error when evicting pods/"pod-0" -n "apps": 429',
  'error when waiting for pod "pod-1" in namespace "apps" to terminate: x, error when evicting pods/"virt-launcher-vm-0-x" -n "vms": y',
  "failed calling webhook virt-launcher-eviction-interceptor",
);

const anyRollout: fc.Arbitrary<RolloutGiven> = fc
  .record({
    cluster: anyCluster,
    nodes: fc.array(fc.record({ phase: fc.constantFrom(...phases), isReady: fc.boolean() }), {
      minLength: 1,
      maxLength: names.length,
    }),
    limit: fc.constantFrom<(number | string)[]>(1, 2, "50%", "2"),
    paused: fc.constantFrom(false, false, true),
    generation: fc.constantFrom(2, 2, 3),
    vmims: fc.array(anyMigration, { maxLength: 8 }),
    message: anyMessage,
    areVmsNamed: fc.boolean(),
  })
  .map(({ cluster, nodes, limit, paused, generation, vmims, message, areVmsNamed }) => ({
    ...cluster,
    nodes: nodes.map(({ phase, isReady }, at) => rollingNode(names[at] ?? "", phase, { isReady })),
    pools: [poolObject("master"), rollingPool({ maxUnavailable: limit, paused }, {}, generation)],
    vms: (cluster.vms ?? []).map((vm, at) =>
      at % 2 === 0 ? vm : { ...vm, status: { ...(vm["status"] as object), evacuationNodeName: names[at % 6] ?? "" } },
    ),
    vmims,
    reports: nodes.map((_, at) => reportOf(names[at] ?? "", message)),
    drainedPods: Object.fromEntries(names.map((name) => [name, Object.values(cluster.pods ?? {}).flat()])),
    areVmsNamed,
  }));

/** Diagnoses a rollout after more than an hour, when all causes have reached their age thresholds. */
const lateRollout = (given: RolloutGiven) => diagnoseInTurn([0, given], [4000, given]).at(-1)?.rollout as RolloutStatus;

test("counts every node once, and lists and rest add up", () => {
  const law = fc.property(anyRollout, (given) => {
    const { pools, nodes, findings, more } = lateRollout(given);
    const [pool] = pools;
    expect(pool).toMatchObject({ name: "worker", total: given.nodes?.length });
    expect((pool?.done ?? 0) + (pool?.inHand ?? 0) + (pool?.waiting ?? 0) + (pool?.degraded ?? 0)).toBe(pool?.total);
    expect(nodes.length + more.nodes).toBe(pool?.total);
    expect(findings.length).toBeLessThanOrEqual(20);
    const onNodes = findings.filter(({ id, node }) => node !== undefined && id !== "CordonedByPerson");
    const counts = [...Map.groupBy(onNodes, ({ node }) => node).values()].map(({ length }) => length);
    expect(Math.max(0, ...counts)).toBeLessThanOrEqual(5);
  });
  fc.assert(law, runsForCost(20));
});

/** Splits a command into words, as a shell does. Returns undefined if a word has a special meaning. */
function shellWords(command: string): readonly string[] | undefined {
  const words = command.match(/'[^']*'|[^\s']+/g) ?? [];
  const isPlain = words.every((word) => /^'[^']*'$/.test(word) || /^[-\w./:=@]+$/.test(word));
  return isPlain && words.join(" ") === command ? words : undefined;
}

const verbs = ["describe", "get", "logs", "patch", "edit", "adm"];

function isRunnable([program = "", ...words]: readonly string[]): boolean {
  const [verb = ""] = words[0] === "-n" ? words.slice(2) : words;
  return program === "oc" ? verbs.includes(verb) : ["virtctl", "ssh"].includes(program) && words.length > 1;
}

test("every command is one safe line with valid names", () => {
  const law = fc.property(anyRollout, (given) => {
    const commands = lateRollout(given).findings.flatMap(({ command }) => command ?? []);
    expect(commands.filter((command) => !isRunnable(shellWords(command) ?? []))).toEqual([]);
  });
  fc.assert(law, runsForCost(20));
});

test("texts of objects stay out of commands and within message limits", () => {
  const hostile = fc.constantFrom(
    "$(reboot)",
    "a; rm -rf /",
    "x' --all",
    "-A",
    "\u001b[31mred\u202e",
    "y".repeat(5000),
    'z"\n`id`',
    "Upper",
  );
  const law = fc.property(hostile, hostile, hostile, (name, namespace, text) => {
    const given: RolloutGiven = {
      nodes: [rollingNode(name, "Draining"), rollingNode("ok", "Degraded", { reason: text })],
      vms: [vmObject(name, name, { isMigratable: false, reason: text, metadata: { namespace } })],
      reports: [
        reportOf(name, `error when waiting for pod "${name}" in namespace "${namespace}" to terminate: ${text}`),
      ],
      operators: [
        {
          apiVersion: "v1",
          kind: "HyperConverged",
          metadata: { name, namespace },
          status: { conditions: [{ type: "Degraded", status: "True", reason: text, message: text }] },
        } satisfies KubeObject,
      ],
    };
    const { findings, summary } = lateRollout(given);
    expect(findings.map(({ id }) => id).toSorted()).toEqual(["NodeDegraded", "VMNotMigratable", "VirtDegraded"]);
    for (const { command, message, object } of findings) {
      expect(["oc describe machineconfignode ok", undefined]).toContain(command);
      expect(message).not.toMatch(/\p{Cc}|\p{Cf}/u);
      expect(message.length).toBeLessThanOrEqual(1024);
      expect(object?.name.length).toBeLessThanOrEqual(253);
    }
    expect(Array.from(summary).length).toBeLessThanOrEqual(512);
  });
  fc.assert(law, runsForCost(10));
});

test("the order of lists does not matter", () => {
  const law = fc.property(anyRollout, (given) => {
    const turned = {
      ...given,
      nodes: given.nodes?.toReversed() ?? [],
      pools: given.pools?.toReversed() ?? [],
      vms: given.vms?.toReversed() ?? [],
      vmims: given.vmims?.toReversed() ?? [],
      reports: given.reports?.toReversed() ?? [],
      drainedPods: Object.fromEntries(
        Object.entries(given.drainedPods ?? {}).map(([node, pods]) => [node, pods.toReversed()]),
      ),
      budgets: given.budgets?.toReversed() ?? [],
    };
    expect(lateRollout(turned)).toEqual(lateRollout(given));
  });
  fc.assert(law, runsForCost(20));
});

test("only findings name VMs", () => {
  const law = fc.property(anyRollout, (given) => {
    expect(JSON.stringify({ ...lateRollout(given), findings: [] })).not.toMatch(/vm-\d/);
  });
  fc.assert(law, runsForCost(20));
});

test("no finding contains a hidden VM name", () => {
  const law = fc.property(anyRollout, (given) => {
    const rollout = lateRollout({ ...given, areVmsNamed: false });
    expect(JSON.stringify(rollout)).not.toMatch(/vm-\d/);
    const hidden = rollout.findings.filter(({ object }) => object?.name === "*");
    const places = hidden.map(({ id, node, object }) => `${id} ${node} ${object?.namespace}`);
    expect(new Set(places).size).toBe(places.length);
  });
  fc.assert(law, runsForCost(20));
});

test("with hidden names, there is one finding per node and namespace", () => {
  const vm = (name: string, node: string, namespace: string) =>
    vmObject(name, node, { spec: { nodeSelector: { disk: "local" } }, metadata: { namespace } });
  const { findings } = lateRollout({
    nodes: [rollingNode("worker-0", "Draining"), rollingNode("worker-1", "Draining")],
    vms: [
      vm("a", "worker-0", "one"),
      vm("b", "worker-0", "one"),
      vm("c", "worker-0", "two"),
      vm("d", "worker-1", "one"),
    ],
    areVmsNamed: false,
  });
  expect(findings.map(({ id, node, object }) => [id, node, `${object?.namespace}/${object?.name}`])).toEqual([
    ["VMNoTarget", "worker-0", "one/*"],
    ["VMNoTarget", "worker-0", "two/*"],
    ["VMNoTarget", "worker-1", "one/*"],
  ]);
});

test("5,000 blocking VMs with long names fit into 16 kB, and all are counted", () => {
  const long = (start: string) => start.padEnd(253, "x");
  const nodes = Array.from({ length: 100 }, (_, at) => rollingNode(long(`node-${at}-`), "Draining"));
  const vms = nodes.flatMap(({ metadata }, node) =>
    Array.from({ length: 50 }, (_, at) =>
      vmObject(long(`vm-${node}-${at}`), metadata.name, {
        isMigratable: false,
        reason: "r".repeat(3000),
        metadata: { namespace: "n".repeat(63) },
      }),
    ),
  );
  const rollout = lateRollout({ nodes, vms });
  expect(utf8Length(JSON.stringify(rollout))).toBeLessThanOrEqual(16_000);
  expect(rollout.findings.length).toBeGreaterThan(0);
  expect(rollout.findings.length + rollout.more.findings).toBe(5000);
  expect(rollout.nodes.length + rollout.more.nodes).toBe(100);
});

test("no finding is in the future after the clock is set back", () => {
  const world: RolloutGiven = { nodes: [rollingNode("worker-0", "Draining")] };
  const [first] = diagnoseInTurn([5000, world]);
  const { rollout } = diagnoseRollout(rolloutFacts(world, 0, first));
  expect(rollout.nodes[0]?.since).toBe("2026-01-02T00:00:00Z");
  expect(rollout.findings).toEqual([]);
});
