import type { JsonMap, KubeObject } from "@virt/api";
import { assessed, assessImpact, type ImpactFacts, notAssessed } from "@virt/impact";
import { anyCluster } from "@virt/impact/testing/any-cluster";
import {
  type ClusterGiven,
  clusterFacts,
  nodeObject,
  policyObject,
  poolObject,
  psiConfig,
  vmObject,
  workers,
} from "@virt/impact/testing/cluster-builder";
import { fullBucket } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ObjectDecision } from "../baseline/decision.ts";
import { annotationPrefix } from "../hco-annotations.ts";
import { disruptionOfWrites } from "./node-write.ts";
import { type GatedWrite, holdAtGate, holdRemovalAtGate, isHeldAtGate, readRebootGate } from "./reboot-gate.ts";

const gateOf = (value: string | undefined) =>
  readRebootGate(value === undefined ? {} : { [`${annotationPrefix}reboot-gate`]: value });

const applying = (object: KubeObject): ObjectDecision => ({
  kind: "apply",
  apply: {
    cause: "create",
    object,
    intent: object,
    handOver: [],
    removals: [],
    contested: [],
    changes: [],
    opponents: [],
    done: { patched: 0, released: [], adopted: [], isResumed: false },
  },
  bucket: fullBucket,
  skipsDryRun: true,
});

const others: readonly ObjectDecision[] = [
  { kind: "unmanaged" },
  { kind: "paused", reason: "manual" },
  { kind: "held", reason: "InvalidPatch", message: "no" },
  { kind: "in-sync", contested: [], intent: psiConfig() },
  { kind: "wait", why: "throttled", inMs: 1 },
  { kind: "not-there" },
  { kind: "pause", paused: { field: "/spec", by: "x", count: 5, at: "" }, state: "", bucket: fullBucket },
];

type GateInput = { readonly gate: string | undefined; readonly facts: ImpactFacts; readonly isUnlisted?: boolean };

function gated({ gate, facts, isUnlisted = false }: GateInput): GatedWrite {
  const { disruption } = facts;
  const impact = assessImpact(facts);
  return {
    gate: gateOf(gate),
    disruption: isUnlisted ? notAssessed("Forbidden") : assessed(disruption),
    rollout: { disruption, impact },
  };
}

const held = (given: GateInput) => holdAtGate(applying(psiConfig()), gated(given));
const messageOf = (decision: ObjectDecision) => (decision.kind === "held" ? decision.message : decision.kind);

const free: ClusterGiven = { nodes: workers(3) };
const blocked: ClusterGiven = { nodes: workers(3), vms: [vmObject("vm", "worker-0", { isMigratable: false })] };

test("the gate is off by default, and an invalid value closes it", () => {
  expect(gateOf(undefined)).toEqual({ kind: "off" });
  expect(gateOf(" no-blockers ")).toEqual({ kind: "on" });
  expect(gateOf("")).toMatchObject({ kind: "unreadable" });
  expect(gateOf("no-blocker")).toEqual({
    kind: "unreadable",
    reason: 'must be no-blockers, not "no-blocker"; did you mean no-blockers?',
  });
  expect(held({ gate: undefined, facts: clusterFacts(blocked) }).kind).toBe("apply");
  expect(messageOf(held({ gate: "off", facts: clusterFacts(free) }))).toBe(
    'annotation platform.kubevirt.io/reboot-gate on the HyperConverged must be no-blockers, not "off"',
  );
});

test("a VM that cannot migrate holds the write until it can", () => {
  expect(held({ gate: "no-blockers", facts: clusterFacts(blocked) })).toMatchObject({
    kind: "held",
    reason: "RebootGate",
    message:
      "annotation platform.kubevirt.io/reboot-gate blocks this write: 1 VM blocks the drain. The object is applied automatically after the cause is resolved. Impact: Reboots 3 nodes (worker pool, one at a time). 1 VM blocks the drain of worker-0. Takes 30 minutes to 2 hours, not counting blocked time.",
  });
  expect(held({ gate: "no-blockers", facts: clusterFacts(free) }).kind).toBe("apply");
});

test("a deletion is put on hold and reported like an apply", () => {
  expect(holdRemovalAtGate(gated({ gate: "no-blockers", facts: clusterFacts(blocked) }))).toMatchObject({
    kind: "held",
    reason: "RebootGate",
    message: expect.stringContaining(
      "1 VM blocks the drain. The object is deleted automatically after the cause is resolved.",
    ),
  });
  expect(holdRemovalAtGate(gated({ gate: "no-blockers", facts: clusterFacts(free) }))).toBeUndefined();
  expect(holdRemovalAtGate(gated({ gate: undefined, facts: clusterFacts(blocked) }))).toBeUndefined();
});

test("unread inputs hold the write unless the worst is assumed", () => {
  const facts = clusterFacts(free);
  const gaps: readonly (readonly [Partial<ImpactFacts>, string])[] = [
    [{ vms: notAssessed("Forbidden", "403") }, "VMs not assessed (Forbidden): 403"],
    [{ pods: notAssessed("Listing") }, "pods not assessed (Listing)"],
    [{ budgets: notAssessed("Unavailable") }, "pods not assessed (Unavailable)"],
    [{ nodes: notAssessed("NotServed") }, "nodes not assessed (NotServed)"],
    [{ settings: notAssessed("NotServed") }, "KubeVirt not assessed (NotServed)"],
  ];
  for (const [gap, text] of gaps)
    expect(messageOf(held({ gate: "no-blockers", facts: { ...facts, ...gap } }))).toContain(text);
  const worst = {
    policies: notAssessed("Forbidden"),
    shape: notAssessed("Forbidden"),
    runStrategies: notAssessed("Forbidden"),
  };
  expect(held({ gate: "no-blockers", facts: { ...facts, ...worst } }).kind).toBe("apply");
  expect(messageOf(held({ gate: "no-blockers", facts, isUnlisted: true }))).toContain(
    "pools are not assessed (Forbidden)",
  );
});

test("a degraded pool holds the write only if it rolls out", () => {
  const status = { conditions: [{ type: "NodeDegraded", status: "True" }] };
  const isHeld = (degraded: string) => {
    const pools = ["master", "worker"].map((name) => ({ ...poolObject(name), ...(name === degraded && { status }) }));
    return isHeldAtGate(held({ gate: "no-blockers", facts: clusterFacts({ ...free, pools }) }));
  };
  expect([isHeld("worker"), isHeld("master")]).toEqual([true, false]);
});

const silent = { ...nodeObject("worker-1"), status: {} };
const pools = (spec: JsonMap) => [poolObject("master"), poolObject("worker", spec)];
const [first, second] = workers(2);
const uncertain: readonly (ClusterGiven & { readonly text: string })[] = [
  {
    nodes: [...workers(2), nodeObject("worker-2", { isCordoned: true })],
    pools: pools({ maxUnavailable: 2 }),
    text: "pool worker has cordoned nodes (uncordon the nodes of pool worker that 'oc get nodes' shows as SchedulingDisabled)",
  },
  {
    nodes: [first, silent].flatMap((node) => node ?? []),
    pools: pools({ maxUnavailable: 2 }),
    text: "pool worker has nodes that are not ready (repair the nodes of pool worker that are not ready, or remove them)",
  },
  {
    nodes: [silent, second].flatMap((node) => node ?? []),
    text: "pool worker has reached its maxUnavailable limit (uncordon or repair the unavailable nodes of pool worker)",
  },
  {
    nodes: workers(2),
    pools: pools({ maxUnavailable: "2" }),
    text: "maxUnavailable of pool worker is invalid (set spec.maxUnavailable of pool worker to a number or a percentage)",
  },
  {
    nodes: workers(2),
    pools: pools({ paused: true }),
    text: "pool worker is paused (unpause pool worker, which also starts all other pending changes of the pool)",
  },
];

test.each(uncertain)("the gate stays closed: $text", ({ text, ...given }) => {
  expect(messageOf(held({ gate: "no-blockers", facts: clusterFacts(given) }))).toContain(
    `blocks this write: ${text}. The object is applied`,
  );
});

const anyValue = fc.constantFrom(undefined, "no-blockers", "no-blockers", "No-Blockers", "", "false", "x".repeat(300));
const anyGap = fc.record({
  vms: fc.constantFrom(undefined, notAssessed("Forbidden")),
  pods: fc.constantFrom(undefined, notAssessed("NotServed")),
  nodes: fc.constantFrom(undefined, undefined, notAssessed("Listing")),
});
const anyPolicy = fc.constantFrom(["Reboot"], ["Drain"], ["Restart"], ["None"]);

const fileConfig = (): KubeObject => ({
  ...psiConfig(),
  spec: { config: { storage: { files: [{ path: "/etc/a", contents: { source: "data:," } }] } } },
});

test("the gate holds exactly the writes that drain or reboot over a blocker", () => {
  const law = fc.property(
    fc.record({ given: anyCluster, gate: anyValue, gap: anyGap, actions: anyPolicy, isKernel: fc.boolean() }),
    ({ given, gate, gap, actions, isKernel }) => {
      const after = isKernel ? psiConfig() : fileConfig();
      const policies = policyObject({ "/etc/a": actions });
      const whole = clusterFacts({ ...given, policies, writes: [{ before: undefined, after }] });
      const known = Object.fromEntries(Object.entries(gap).filter(([, value]) => value !== undefined));
      const facts: ImpactFacts = { ...whole, ...known };
      const write = gated({ gate, facts });
      const decision = applying(after);
      const result = holdAtGate(decision, write);
      const { impact } = write.rollout;
      const isDraining = isKernel || actions.some((action) => action === "Reboot" || action === "Drain");
      const isBlocked = impact.blockers.length + impact.more.blockers > 0 || (impact.vms?.unknown ?? 0) > 0;
      const isUnknown = Object.keys(known).length > 0;
      const isHeldUp = impact.held > 0 || impact.pools.some(({ holdup }) => holdup !== undefined);
      const isClosed = isBlocked || isUnknown || isHeldUp || gate !== "no-blockers";
      const isHeld = gate !== undefined && isDraining && isClosed;
      // The result is either a hold or the same decision, so the apply is neither changed nor lost.
      expect(isHeld ? isHeldAtGate(result) : result === decision).toBe(true);
      for (const other of others) expect(holdAtGate(other, write)).toBe(other);
    },
  );
  fc.assert(law);
});

test("a rebooting write is on hold with the blockers of all pending writes", () => {
  const facts = clusterFacts({ ...blocked, writes: [] });
  const both = [psiConfig("worker"), psiConfig("master")].map((after) => ({ before: undefined, after }));
  const disruption = disruptionOfWrites(both, facts.pools, facts.policies);
  const rollout = { disruption, impact: assessImpact({ ...facts, disruption }) };
  const own = disruptionOfWrites(both.slice(1), facts.pools, facts.policies);
  const decision = holdAtGate(applying(psiConfig("master")), {
    gate: gateOf("no-blockers"),
    disruption: assessed(own),
    rollout,
  });
  expect(messageOf(decision)).toContain("1 VM blocks the drain");
});
