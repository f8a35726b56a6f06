// Properties of every impact, checked against independent counts.

import { disruptionClasses, type Impact } from "@virt/api";
import { poolOfNode } from "@virt/cluster";
import { type KubeObject, utf8Length } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assessed, assessImpact, notAssessed as unread } from "./index.ts";
import { anyCluster, anyMigrations, anyVm } from "./testing/any-cluster.ts";
import {
  annotationPrefix,
  type ClusterGiven,
  clusterFacts,
  nodeObject,
  poolObject,
  vmObject,
  vmsOn,
} from "./testing/cluster-builder.ts";

const impactOf = (given: ClusterGiven) => assessImpact(clusterFacts(given));
const total = (counts: object | undefined) =>
  Object.values(counts ?? {}).reduce<number>((sum, count) => sum + Number(count), 0);
const member = (object: KubeObject, ...path: readonly string[]) =>
  path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);

test("exactly the VMs of drained nodes and without a node have one outcome", () => {
  const law = fc.property(anyCluster, fc.constantFrom(...disruptionClasses), (given, own) => {
    const facts = clusterFacts(given);
    const impact = assessImpact({ ...facts, disruption: facts.disruption.map((each) => ({ ...each, class: own })) });
    const pools = given.pools ?? [];
    const affected = new Set(impact.pools.map(({ name }) => name));
    // A node that is waiting for a config that could not be read may reboot, regardless of the plan.
    const isDrained = (node: KubeObject) =>
      own === "Reboot" ||
      own === "Drain" ||
      node.metadata.annotations?.[`${annotationPrefix}/currentConfig`] === "rendered-0";
    const drained = (given.nodes ?? []).filter((node) => {
      const pool = poolOfNode(node.metadata.labels ?? {}, pools) ?? "";
      return isDrained(node) && affected.has(pool);
    });
    const mayStartThere = (node: unknown) => node === "" && drained.length > 0;
    const counted = (given.vms ?? []).filter(
      (vm) =>
        (drained.some(({ metadata }) => metadata.name === member(vm, "status", "nodeName")) ||
          mayStartThere(member(vm, "status", "nodeName"))) &&
        member(vm, "metadata", "deletionTimestamp") === undefined &&
        !["Succeeded", "Failed"].includes(String(member(vm, "status", "phase"))),
    );
    expect(total(impact.vms)).toBe(counted.length);
  });
  fc.assert(law, runsForCost(10));
});

test("capacity is claimed only if every outcome is known", () => {
  const law = fc.property(anyCluster, fc.boolean(), fc.boolean(), (given, areOwnersRead, isKubeVirtRead) => {
    const facts = clusterFacts(given);
    const { capacity, vms, notAssessed } = assessImpact({
      ...facts,
      ...(!areOwnersRead && { runStrategies: assessed(new Map()) }),
      ...(!isKubeVirtRead && { settings: unread("Forbidden") }),
    });
    // A single node is not drained, and its VMs stay on it.
    if (capacity.fits !== "Yes" || given.topology === "SingleReplica") return;
    expect(vms?.unknown).toBe(0);
    expect(notAssessed.filter(({ what }) => what === "VM owners")).toEqual([]);
  });
  fc.assert(law, runsForCost(10));
});

test("changing and held nodes are all nodes of the pools", () => {
  const law = fc.property(anyCluster, (given) => {
    const impact = impactOf(given);
    const { disruption, pools } = clusterFacts(given);
    const affected = new Set(disruption.map(({ pool }) => pool));
    const members = (given.nodes ?? []).filter(({ metadata }) =>
      affected.has(poolOfNode(metadata.labels ?? {}, pools) ?? ""),
    );
    expect(impact.nodes + impact.held).toBe(members.length);
    for (const pool of impact.pools) expect(new Set(pool.order).size).toBe(pool.nodes + pool.held);
    expect(impact.pools.every(({ atOnce, nodes }) => nodes === 0 || atOnce >= 1)).toBe(true);
  });
  fc.assert(law, runsForCost(10));
});

test("listed and omitted entries add up to the totals", () => {
  const law = fc.property(anyCluster, (given) => {
    const { vms, pods, blockers, stops, more } = impactOf(given);
    expect(blockers.length + more.blockers).toBe((vms?.block ?? 0) + (pods?.block ?? 0));
    expect(stops.length + more.stops).toBe(
      (vms?.stop ?? 0) + (vms?.restart ?? 0) + (vms?.external ?? 0) + (pods?.delete ?? 0),
    );
  });
  fc.assert(law, runsForCost(10));
});

test("the low bound never exceeds the high one", () => {
  const law = fc.property(anyCluster, (given) => {
    const { duration, pools } = impactOf(given);
    for (const { lowSeconds = 0, highSeconds = 0 } of [...pools, ...(duration ? [duration] : [])])
      expect(lowSeconds).toBeLessThanOrEqual(highSeconds);
  });
  fc.assert(law, runsForCost(10));
});

const figures = ({ duration, vms }: Impact) => [duration?.lowSeconds ?? 0, duration?.highSeconds ?? 0, vms?.block ?? 0];

test("another VM lowers neither bounds nor blockers", () => {
  const law = fc.property(anyCluster, anyVm, (given, { node, ...vm }) => {
    const before = figures(impactOf(given));
    const after = figures(impactOf({ ...given, vms: [...(given.vms ?? []), vmObject("further", node, vm)] }));
    for (const [at, figure] of after.entries()) expect(figure).toBeGreaterThanOrEqual(before[at] ?? 0);
  });
  fc.assert(law, runsForCost(20));
});

// The bounds of each node and of the pool are rounded up.
const rounding = (nodes: number) => nodes + 1;

test("more parallelism raises the low bound at most by rounding", () => {
  const law = fc.property(
    fc.array(fc.constantFrom(0, 0, 20), { minLength: 2, maxLength: 6 }),
    anyMigrations,
    fc.integer({ min: 1, max: 5 }),
    fc.constantFrom("maxUnavailable", "parallelMigrationsPerCluster", "parallelOutboundMigrationsPerNode"),
    (loads, migrations, maxUnavailable, raised) => {
      // The spare node can run VMs while all other nodes are down.
      const nodes = loads.map((_, at) => nodeObject(`n-${at}`));
      const spare = nodeObject("spare", { roles: ["worker", "spare"] });
      const vms = loads.flatMap((count, at) => vmsOn([`n-${at}`], count, { gib: 40 }));
      const low = (more: number) => {
        const limits = { maxUnavailable, ...migrations };
        const { maxUnavailable: places, ...lanes } = { ...limits, [raised]: limits[raised] + more };
        const pools = [
          poolObject("worker", { maxUnavailable: places }),
          poolObject("spare", { machineConfigSelector: {} }),
        ];
        const facts = clusterFacts({ nodes: [...nodes, spare], vms, pools, migrations: lanes });
        return assessImpact({ ...facts, disruption: [{ pool: "worker", class: "Reboot" }] }).duration?.lowSeconds ?? 0;
      };
      expect(low(1)).toBeLessThanOrEqual(low(0) + rounding(nodes.length));
    },
  );
  fc.assert(law, runsForCost(20));
});

test("the order of lists and the clock do not matter", () => {
  const law = fc.property(anyCluster, fc.array(fc.nat(9), { maxLength: 12 }), (given, keys) => {
    const turn = <T>(list: readonly T[] = []) =>
      list
        .map((each, at) => ({ each, key: keys[at] ?? 0 }))
        .toSorted((left, right) => left.key - right.key || 1)
        .map(({ each }) => each)
        .toReversed();
    const pods = Object.entries(given.pods ?? {}).map(([node, each]) => [node, turn(each)] as const);
    const turned = {
      ...given,
      nodes: turn(given.nodes),
      pools: turn(given.pools),
      vms: turn(given.vms),
      budgets: turn(given.budgets),
      pods: Object.fromEntries(pods.toReversed()),
    };
    const later = assessImpact({ ...clusterFacts(turned), assessedAt: "2027-01-01T00:00:00Z" });
    expect({ ...later, assessedAt: "" }).toEqual({ ...impactOf(given), assessedAt: "" });
  });
  fc.assert(law, runsForCost(10));
});

const longName = (start: string) => start.padEnd(253, "x");
const size = (impact: Impact) => utf8Length(JSON.stringify(impact));

test("5,000 VMs with long names fit into 16 kB, and all are counted", () => {
  const names = Array.from({ length: 100 }, (_, at) => longName(`node-${at}-`));
  const nodes = names.map((name) => nodeObject(name));
  const long = { metadata: { namespace: "n".repeat(63) } };
  const vms = names.flatMap((node) => [
    ...vmsOn([node], 25, { isMigratable: false, reason: "r".repeat(5000), ...long }),
    ...vmsOn([node], 25, { strategy: "None", ...long }),
  ]);
  const pools = [poolObject("master"), poolObject("worker"), poolObject(longName("infra"))];
  const impact = impactOf({ nodes, vms, pools });
  expect(size(impact)).toBeLessThanOrEqual(16_000);
  expect(impact.blockers.length).toBeGreaterThan(0);
  expect(impact.blockers.length + impact.more.blockers).toBe(2500);
  expect(impact.stops.length + impact.more.stops).toBe(2500);
  expect(impact.summary.length).toBeLessThanOrEqual(512);
});

test("hostile texts stay within the limits", () => {
  const piece = fc.constantFrom("x", "\u0000", '"', "\\", "é", "😀", "\ud83d", "\n", "\u2028", "\u202e");
  const text = fc
    .array(fc.tuple(piece, fc.integer({ min: 1, max: 400 })), { maxLength: 3 })
    .map((pieces) => pieces.map(([sign, times]) => sign.repeat(times)).join(""));
  const law = fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), text, (names, reason) => {
    const nodes = names.map((name, at) => nodeObject(`${name}${at}`));
    const vms = nodes.flatMap(({ metadata: { name } }) =>
      ["a", "b", "c"].map((vm) =>
        vmObject(`${vm}${name}`, name, { isMigratable: false, reason, metadata: { namespace: name } }),
      ),
    );
    const impact = impactOf({ nodes, vms });
    expect(size(impact)).toBeLessThanOrEqual(16_000);
    expect(Array.from(impact.summary).length).toBeLessThanOrEqual(512);
    for (const entry of impact.blockers) expect(Array.from(entry.reason).length).toBeLessThanOrEqual(160);
    expect(JSON.stringify(impact)).not.toMatch(/\\u00[01]/);
  });
  fc.assert(law, runsForCost(50));
});
