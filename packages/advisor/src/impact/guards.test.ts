import type { Guards, Holdup, Impact, Item } from "@virt/api";
import { equalJson } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import type { Observed } from "../observed.ts";
import { decided, expectLaw } from "../testing/expect-law.ts";
import { impactFixture, noVms } from "../testing/impact-fixtures.ts";
import { deschedulerItem, drafted, generation, observedItem, observedWith, psi } from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";
import { findGuardObstacle } from "./guards.ts";

const items = [psi()];
const obstacle = (guards: Guards, impact: Impact | undefined, of: readonly Item[] = items) =>
  findGuardObstacle({ spec: { ...observedWith("ReviewRequired").spec, guards } }, impact, of)?.text;
const blocked = (block: number) => impactFixture({ vms: { ...noVms, block } });
const full = impactFixture({
  capacity: { fits: "No", nodes: ["worker-0"], unplacedVMs: 2, unplacedMiB: 82_704 },
});
const without = (what: string, reason: "Forbidden" | "Listing" = "Forbidden") => {
  const { vms: _vms, ...rest } = impactFixture();
  return { ...rest, notAssessed: [{ what, reason, message: "" }] };
};

const held = (holdup: Holdup) => {
  const impact = impactFixture();
  const pools = impact.pools.map((pool) => ({ ...pool, nodes: 11, held: 1, holdup }));
  return { ...impact, nodes: 11, held: 1, pools };
};

const unknownRoom = (vms: Partial<typeof noVms>, what?: string) =>
  impactFixture({
    capacity: { fits: "Unknown", nodes: [], unplacedVMs: 0, unplacedMiB: 0 },
    vms: { ...noVms, ...vms },
    notAssessed: what === undefined ? [] : [{ what, reason: "Forbidden", message: "" }],
  });
const unknownRoomRows = [
  { vms: { unknown: 1 }, gap: "KubeVirt", text: "KubeVirt not assessed (Forbidden)" },
  { vms: { stop: 1 }, gap: "VM owners", text: "VM owners not assessed (Forbidden)" },
  { vms: { unknown: 1 }, gap: undefined, text: "VM state not assessed (Unavailable)" },
  { vms: { migrate: 1 }, gap: "pods", text: "VM memory not assessed (Unavailable)" },
];

test.each(unknownRoomRows)("explains unknown capacity by its cause: $text", ({ vms, gap, text }) => {
  const found = obstacle({ requireCapacity: true }, unknownRoom(vms, gap));
  expect(found).toBe(`spec.guards.requireCapacity cannot be evaluated: ${text}`);
});

type GuardRow = readonly [string, Guards, Impact | undefined, string | undefined];
const rows: readonly GuardRow[] = [
  ["no guards allow any impact", {}, undefined, undefined],
  ["allows as many blocking VMs", { maxBlockingVMs: 6 }, blocked(6), undefined],
  ["blocks more VMs", { maxBlockingVMs: 0 }, blocked(6), "spec.guards.maxBlockingVMs is 0, but 6 VMs block the drain"],
  ["blocks one VM", { maxBlockingVMs: 0 }, blocked(1), "spec.guards.maxBlockingVMs is 0, but 1 VM blocks the drain"],
  ["allows as many nodes", { maxNodes: 12 }, impactFixture(), undefined],
  ["blocks more nodes", { maxNodes: 11 }, impactFixture(), "spec.guards.maxNodes is 11, but 12 nodes change"],
  ["requireCapacity allows a plan with enough capacity", { requireCapacity: true }, impactFixture(), undefined],
  ["requireCapacity: false allows missing capacity", { requireCapacity: false }, full, undefined],
  [
    "requireCapacity blocks missing capacity",
    { requireCapacity: true },
    full,
    "spec.guards.requireCapacity is true, but 2 VMs do not fit on other nodes while worker-0 is drained",
  ],
  [
    "requireCapacity shortens a long list of nodes like the summary",
    { requireCapacity: true },
    {
      ...full,
      summary:
        "Reboots 10 nodes (worker pool, 10 at a time). 2 VMs do not fit on other nodes while w-0, w-1 and 8 more are drained. Takes 2–3 hours.",
      capacity: { ...full.capacity, nodes: ["w-0", "w-1", "w-10"] },
    },
    "spec.guards.requireCapacity is true, but 2 VMs do not fit on other nodes while w-0, w-1 and 8 more are drained",
  ],
  [
    "maxBlockingVMs blocks if VMs cannot be read",
    { maxBlockingVMs: 0 },
    without("VMs"),
    "spec.guards.maxBlockingVMs cannot be evaluated: VMs not assessed (Forbidden)",
  ],
  [
    "maxBlockingVMs blocks if an eviction strategy is unknown",
    { maxBlockingVMs: 0 },
    impactFixture({
      vms: { ...noVms, unknown: 1 },
      notAssessed: [{ what: "KubeVirt", reason: "Forbidden", message: "" }],
    }),
    "spec.guards.maxBlockingVMs cannot be evaluated: KubeVirt not assessed (Forbidden)",
  ],
  [
    "maxBlockingVMs blocks if an unknown VM could exceed it",
    { maxBlockingVMs: 1 },
    impactFixture({ vms: { ...noVms, block: 1, unknown: 1 } }),
    "spec.guards.maxBlockingVMs cannot be evaluated: VM state not assessed (Unavailable)",
  ],
  [
    "maxBlockingVMs allows an unknown VM that cannot exceed it",
    { maxBlockingVMs: 2 },
    impactFixture({ vms: { ...noVms, block: 1, unknown: 1 } }),
    undefined,
  ],
  [
    "maxNodes blocks if nodes cannot be read",
    { maxNodes: 5 },
    without("nodes"),
    "spec.guards.maxNodes cannot be evaluated: nodes not assessed (Forbidden)",
  ],
  [
    "blocks before the first assessment",
    { requireCapacity: true },
    undefined,
    "spec.guards.requireCapacity cannot be evaluated: nodes not assessed (Listing)",
  ],
  [
    "blocks if a cordoned node changes later",
    { maxBlockingVMs: 0 },
    held("Cordoned"),
    "spec.guards.maxBlockingVMs cannot be evaluated: pool worker has cordoned nodes",
  ],
  [
    "blocks if a pool is paused",
    { maxNodes: 12 },
    held("Paused"),
    "spec.guards.maxNodes cannot be evaluated: pool worker is paused",
  ],
  ["counts later nodes", { maxNodes: 11 }, held("Paused"), "spec.guards.maxNodes is 11, but 12 nodes change"],
  [
    "blocks if maxUnavailable is invalid",
    { requireCapacity: true },
    held("InvalidMaxUnavailable"),
    "spec.guards.requireCapacity cannot be evaluated: maxUnavailable of pool worker is invalid",
  ],
  [
    "blocks if a pool is degraded, even if all nodes start",
    { maxNodes: 12 },
    { ...held("Degraded"), nodes: 12, held: 0 },
    "spec.guards.maxNodes cannot be evaluated: pool worker is degraded",
  ],
  [
    "blocks without KubeVirt's settings, even if no VM needs them",
    { maxBlockingVMs: 0 },
    impactFixture({ notAssessed: [{ what: "KubeVirt", reason: "Forbidden", message: "" }] }),
    "spec.guards.maxBlockingVMs cannot be evaluated: KubeVirt not assessed (Forbidden)",
  ],
  ...(["maxBlockingVMs", "maxNodes", "requireCapacity"] as const).map(
    (guard): GuardRow => [
      `${guard} blocks if KubeletConfigs cannot be read`,
      { [guard]: guard === "requireCapacity" ? true : 12 },
      impactFixture({ notAssessed: [{ what: "KubeletConfigs", reason: "Forbidden", message: "" }] }),
      `spec.guards.${guard} cannot be evaluated: KubeletConfigs not assessed (Forbidden)`,
    ],
  ),
  [
    "maxBlockingVMs does not need pods",
    { maxBlockingVMs: 0 },
    impactFixture({ notAssessed: [{ what: "pods", reason: "Forbidden", message: "" }], vms: noVms }),
    undefined,
  ],
];

test.each(rows)("%s", (_reason, guards, impact, text) => {
  expect(obstacle(guards, impact)).toBe(text);
  expect(obstacle(guards, impact, [deschedulerItem()])).toBeUndefined();
});

const approved = (given: Parameters<typeof observedWith>[1] = {}): Observed =>
  observedWith("ReviewRequired", {
    generation: generation + 1,
    items: [observedItem(psi())],
    ...given,
    spec: { action: "Apply", guards: { maxBlockingVMs: 0 }, ...given.spec },
  });

test("an approved plan waits for its guard and starts automatically", () => {
  const review = { planHash: approved().stored.planHash ?? "", generation, forced: true, reason: "PlanStale" } as const;
  const held = transition(approved({ impactNow: blocked(6), stored: { review } }));
  expect(held.status.phase).toBe("ReviewRequired");
  const message = "spec.guards.maxBlockingVMs is 0, but 6 VMs block the drain";
  expect(held.status.review).toEqual({ ...review, reason: "Guarded", message });
  expect(conditionOf(held.status, "Ready")).toMatchObject({
    status: "False",
    reason: "Guarded",
    message: `${message}. Next: stop or move the VMs listed in status.impact.blockers, or raise spec.guards.maxBlockingVMs. The plan starts automatically when the guard allows it. To withdraw the approval, set action to DryRun.`,
  });
  const again = { ...approved({ impactNow: blocked(0) }), stored: held.status };
  expect(transition(again).status.phase).toBe("InProgress");
  expect(transition({ ...again, impactNow: blocked(6) }).status).toEqual(held.status);
});

test("an Apply waits for the assessment of its drafted plan", () => {
  const observed = approved({ draft: drafted([psi()]), impactNow: blocked(0) });
  const { status } = transition({ ...observed, stored: { ...observed.stored, phase: "Drafting" } });
  expect(status).toMatchObject({ phase: "ReviewRequired", review: { reason: "Guarded", forced: false } });
  const later = { ...approved({ impactNow: blocked(0) }), stored: status };
  expect(transition(later).status.phase).toBe("InProgress");
});

test("does not correct drift on nodes while a guard blocks", () => {
  const drift = { kind: "changed", fields: ["x"], changes: ["x"], managers: ["a"], diff: "", conflicts: [] } as const;
  const drifted = (impactNow: Impact) =>
    observedWith("Drifted", {
      spec: { action: "Apply", bypassOptimisticLock: true, guards: { maxBlockingVMs: 0 } },
      items: [observedItem(psi({ state: "Completed" }), { drift })],
      impactNow,
    });
  const { status } = transition(drifted(blocked(1)));
  expect(status.phase).toBe("Drifted");
  expect(conditionOf(status, "Ready")).toMatchObject({ reason: "Guarded" });
  expect(transition(drifted(blocked(0))).status.phase).toBe("InProgress");
});

const anyGuards = fc.record(
  { maxBlockingVMs: fc.nat(3), maxNodes: fc.integer({ min: 1, max: 14 }), requireCapacity: fc.boolean() },
  { requiredKeys: [] },
);
const anyGap = fc.record({
  what: fc.constantFrom("VMs", "nodes", "KubeVirt", "VM owners", "pods", "infrastructure"),
  reason: fc.constantFrom("NotServed", "Forbidden", "Listing", "Unavailable", "TooMany"),
  message: fc.constant(""),
} as const);
const anyImpact: fc.Arbitrary<Impact | undefined> = fc.option(
  fc
    .record({
      nodes: fc.nat(15),
      held: fc.constantFrom(0, 0, 1),
      block: fc.nat(4),
      unknown: fc.nat(1),
      stop: fc.nat(1),
      fits: fc.constantFrom<Impact["capacity"]["fits"][]>("Yes", "No", "Unknown"),
      gaps: fc.array(anyGap, { maxLength: 2 }),
    })
    .map(({ nodes, held, block, unknown, stop, fits, gaps }) => {
      const isMissing = (...kinds: readonly string[]) => gaps.some(({ what }) => kinds.includes(what));
      // Capacity can be assessed only if the outcome of every VM is known.
      const isUnsure = unknown > 0 || (stop > 0 && isMissing("VM owners"));
      const { vms: _vms, ...rest } = impactFixture({
        nodes,
        held,
        notAssessed: gaps,
        capacity: { fits: isUnsure && fits === "Yes" ? "Unknown" : fits, nodes: ["a"], unplacedVMs: 1, unplacedMiB: 1 },
      });
      return isMissing("VMs", "nodes") ? rest : { ...rest, vms: { ...noVms, block, unknown, stop } };
    }),
  { nil: undefined },
);

/** An independent reimplementation of the guards, to compare with. */
function holds(guards: Guards, impact: Impact | undefined): boolean {
  const isMissing = (...kinds: readonly string[]) =>
    impact?.notAssessed.some(({ what }) => kinds.includes(what)) ?? true;
  const blocking = impact?.vms?.block ?? Number.POSITIVE_INFINITY;
  const { unknown = 0, stop = 0 } = impact?.vms ?? {};
  const isHeldUp = (impact?.held ?? 0) > 0;
  const isMoveUnsure = unknown > 0 || (stop > 0 && isMissing("VM owners"));
  return (
    (guards.maxBlockingVMs === undefined ||
      (!isMissing("VMs", "KubeVirt", "nodes") && !isHeldUp && blocking + unknown <= guards.maxBlockingVMs)) &&
    (guards.maxNodes === undefined || (!isMissing("nodes") && !isHeldUp && (impact?.nodes ?? 0) <= guards.maxNodes)) &&
    (guards.requireCapacity !== true ||
      (!isMissing("VMs", "KubeVirt", "nodes") && !isHeldUp && !isMoveUnsure && impact?.capacity.fits === "Yes"))
  );
}

test("a plan starts only with an Apply and satisfied guards", () => {
  const law = fc.property(
    anyGuards,
    anyImpact,
    fc.constantFrom("DryRun", "Apply", "Apply", "Apply", "Ignore"),
    fc.constantFrom(true, true, true, false),
    (guards, impactNow, action, isNew) => {
      const observed = approved({
        spec: { action, guards },
        ...(impactNow && { impactNow }),
        generation: isNew ? generation + 1 : generation,
        stored: isNew ? {} : { executedGeneration: generation },
      });
      const isStarted = transition(observed).status.phase === "InProgress";
      return isStarted === (action === "Apply" && isNew && holds(guards, impactNow));
    },
  );
  fc.assert(law);
});

test("without guards, the assessment does not affect decisions", () => {
  const assessments = [
    impactFixture({ vms: { ...noVms, block: 9 } }),
    without("VMs"),
    without("nodes", "Listing"),
    full,
  ];
  expectLaw((observed) =>
    assessments.every((impactNow) => equalJson(transition({ ...observed, impactNow }), decided(observed))),
  );
});
