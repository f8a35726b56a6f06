import type { Impact, RolloutFinding, RolloutStatus, Status } from "@virt/api";
import { findingCatalogue } from "@virt/impact";
import fc from "fast-check";
import { expect, test } from "vitest";
import { conditionOf } from "./conditions/status-conditions.ts";
import type { Decision } from "./observed.ts";
import { type DiagnosedRollout, publishStatus } from "./publish-status.ts";
import { isRolloutOpen } from "./rollout/rollouts.ts";
import { eventsForStatusChange } from "./status-events.ts";
import { impactFixture, noVms, rolloutFixture } from "./testing/impact-fixtures.ts";
import {
  appliedItem,
  deschedulerItem,
  doneItem,
  failedItem,
  generation,
  health,
  now,
  observedItem,
  observedWith,
  psi,
  secondsAgo,
} from "./testing/observed-fixtures.ts";
import { stamp } from "./times.ts";
import { transition } from "./transition.ts";

const finding = (given: Partial<RolloutFinding> = {}): RolloutFinding => ({
  id: "VMNotMigratable",
  severity: "blocking",
  node: "w-0",
  message: "VM a/b blocks the drain of w-0",
  command: "virtctl stop b -n a",
  since: secondsAgo(120),
  ...given,
});
const pools = [{ name: "worker", total: 3, done: 1, inHand: 1, waiting: 1, degraded: 0 }];
const rollout = (...findings: readonly RolloutFinding[]) =>
  rolloutFixture(findings, { summary: `${findings.length} findings`, pools });
const pending = [{ machineConfig: "99-psi", startTime: secondsAgo(600), before: [] }];
const { stored: inProgress } = observedWith("InProgress");
const { stored: completed } = observedWith("Completed");
const decide = (status: Status): Decision => ({ status, requeue: { when: "on-change" } });
const rolling = { ...inProgress, rollouts: pending };
const at = (stored: Status) => ({ stored, now, generation, items: [] });
const withRollout = (decision: Decision, observed: Parameters<typeof publishStatus>[1], fresh?: DiagnosedRollout) =>
  publishStatus(decision, observed, { rollout: fresh });
const diagnosed = (status: RolloutStatus, dueMs = 0, nextMs?: number) => ({ rollout: status, dueMs, nextMs });

test("a blocking finding stalls a running plan and reports the next step", () => {
  const { status } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(finding())));
  expect(conditionOf(status, "Stalled")).toMatchObject({
    status: "True",
    reason: "RolloutStuck",
    message: "VM a/b blocks the drain of w-0. Next: virtctl stop b -n a",
    lastTransitionTime: stamp(now),
  });
  expect(conditionOf(status, "Reconciling")).toMatchObject({ status: "False", reason: "RolloutStuck" });
  expect(status.rollout).toEqual(rollout(finding()));
});

test("lists the options for a blocking VM, with stopping it last", () => {
  const vm = finding({ object: { kind: "VirtualMachineInstance", namespace: "a", name: "b" } });
  const { status } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(vm)));
  const { message = "" } = conditionOf(status, "Stalled") ?? {};
  expect(message).toMatch(
    /^VM a\/b blocks the drain of w-0\. Next: choose one of these options \(least disruptive first\): \(1\) Make/,
  );
  expect(message).toMatch(/The VM is down until you start it again\. Command: virtctl stop b -n a$/);
});

test("both conditions recover when the cause is gone", () => {
  const { status: stuck } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(finding())));
  const { status } = withRollout(
    decide({ ...rolling, rollout: stuck.rollout ?? rollout() }),
    at(stuck),
    diagnosed(rollout()),
  );
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
  expect(conditionOf(status, "Reconciling")).toMatchObject({ status: "True", reason: "InProgress" });
});

test("a warning does not stall the plan", () => {
  const { status } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(finding({ severity: "warning" }))));
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
});

test("a rollout is not written before it is due", () => {
  const shown = { ...rolling, rollout: rollout(), progress: "1/3 nodes" };
  const later = now + 4000;
  const { status, requeue } = withRollout(decide(shown), at(shown), diagnosed(rollout(finding()), later));
  expect(status.rollout).toEqual(rollout());
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
  expect(requeue).toEqual({ when: "at", atMs: later });
});

test("a rollout is written with a change of the phase", () => {
  const shown = { ...rolling, rollout: rollout() };
  const next = { ...completed, rollouts: pending, rollout: rollout() };
  const fresh = rollout(finding({ severity: "warning" }));
  expect(withRollout(decide(next), at(shown), diagnosed(fresh, now + 4000)).status.rollout).toEqual(fresh);
});

test("a rollout is written with any other change of the status", () => {
  const shown = { ...rolling, rollout: rollout(), progress: "1/3 nodes" };
  const items = (shown.items ?? []).map((item) => ({ ...item, message: "2 of 3 nodes updated" }));
  const { status, requeue } = withRollout(
    decide({ ...shown, items }),
    at(shown),
    diagnosed(rollout(finding()), now + 4000),
  );
  expect(status.rollout).toEqual(rollout(finding()));
  expect(requeue).toEqual({ when: "on-change" });
});

test("the progress column reports a stuck rollout until the cause is gone", () => {
  const { status: stuck } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(finding())));
  expect(stuck.progress).toBe("stuck: 1/3 nodes");
  const { status } = withRollout(decide({ ...rolling, rollout: rollout(finding()) }), at(stuck), diagnosed(rollout()));
  expect(status.progress).toBe("1/3 nodes");
});

test("the progress column counts the nodes of status.rollout", () => {
  const fresh: RolloutStatus = {
    ...rollout(),
    pools: ["infra", "worker"].map((name) => ({ name, total: 3, done: 2, inHand: 1, waiting: 0, degraded: 0 })),
  };
  const { status } = withRollout(decide({ ...rolling, progress: "0/3 nodes" }), at(rolling), diagnosed(fresh));
  expect(status.progress).toBe("4/6 nodes");
});

test("requeues when a cause reaches its age", () => {
  const { requeue } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(), 0, now + 7000));
  expect(requeue).toEqual({ when: "at", atMs: now + 7000 });
});

test("without a diagnosis, keeps the shown rollout and stays stalled", () => {
  const shown = { ...rolling, rollout: rollout(finding()) };
  const { status } = withRollout(decide(shown), at(shown), undefined);
  expect(status.rollout).toEqual(rollout(finding()));
  expect(conditionOf(status, "Stalled")?.reason).toBe("RolloutStuck");
});

test("an ended rollout keeps its pools without findings", () => {
  const { status } = withRollout(decide(completed), at(rolling), diagnosed(rollout(finding()), now + 9000));
  expect(status.rollout?.findings).toEqual([]);
  expect(status.rollout?.pools).toHaveLength(1);
  // The pool's status takes precedence over a node that is out of date.
  expect(status.rollout).toMatchObject({
    summary: "worker pool: 3 of 3 nodes updated",
    pools: [{ name: "worker", total: 3, done: 3, inHand: 0, waiting: 0, degraded: 0 }],
  });
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
  expect(conditionOf(status, "Ready")).toEqual(conditionOf(completed, "Ready"));
});

test("in a completed phase, a finding extends Ready and does not stall", () => {
  const unconverged = { ...completed, rollouts: pending };
  const { status } = withRollout(decide(unconverged), at(unconverged), diagnosed(rollout(finding())));
  const ready = conditionOf(unconverged, "Ready");
  expect(conditionOf(status, "Ready")).toEqual({
    ...ready,
    message: `${ready?.message}: VM a/b blocks the drain of w-0. Next: virtctl stop b -n a`,
  });
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
});

test("retries and configs without a rollout stay unchanged", () => {
  const retry: Decision = { status: rolling, requeue: { when: "retry", message: "503" } };
  expect(withRollout(retry, at(rolling), diagnosed(rollout(finding())))).toBe(retry);
  const plain = decide(completed);
  expect(withRollout(plain, at(completed), undefined)).toEqual(plain);
});

/** A plan that ends with errors while its pools are still updating. */
const ending = observedWith("InProgress", {
  spec: { failurePolicy: "Continue" },
  items: [observedItem(failedItem(psi(), "Timed out")), observedItem(doneItem(deschedulerItem()), { isInPlace: true })],
  rollouts: pending.map((record) => ({ record, health: health("waiting", "pool worker: 1 of 3 nodes updated") })),
  stored: { rollouts: pending },
});

const gap = { what: "VirtualMachineInstance", reason: "Forbidden", message: "403" } as const;

test("shows inputs that the diagnosis could not read", () => {
  const unread = { ...rollout(), notAssessed: [gap] };
  const { status } = withRollout(decide(rolling), at(rolling), diagnosed(unread));
  expect(status.rollout?.notAssessed).toEqual([gap]);
});

test.each(["Completed", "Ignored"] as const)("a rollout that ended in %s lists no unread inputs", (phase) => {
  const stored = { ...rolling, rollout: { ...rollout(), notAssessed: [gap] } };
  const { rollouts: _done, ...ended } = stored;
  const { status } = withRollout(decide({ ...ended, phase, items: [], conditions: [] }), at(stored), undefined);
  expect(status.rollout).toBeDefined();
  expect(status.rollout).not.toHaveProperty("notAssessed");
});

test("the event about pending pools does not name the blocking VM", () => {
  const { status } = withRollout(transition(ending), ending, diagnosed(rollout(finding())));
  expect(conditionOf(status, "Ready")).toMatchObject({
    reason: "NotConverged",
    message: "pool worker: 1 of 3 nodes updated: VM a/b blocks the drain of w-0. Next: virtctl stop b -n a",
  });
  expect(eventsForStatusChange(ending.stored, status, { moved: [] })).toContainEqual({
    type: "Warning",
    reason: "RolloutUnhealthy",
    note: "pool worker: 1 of 3 nodes updated",
  });
});

test.each(Object.keys(findingCatalogue))("no event names the VM of finding %s", (id) => {
  const severities: readonly RolloutFinding["severity"][] = ["blocking", "warning", "info"];
  const left = observedWith("Completed", { rollouts: ending.rollouts, stored: { rollouts: pending } });
  const named = { id, message: "VM shop/till-7 waits", command: "virtctl stop till-7 -n shop" };
  for (const severity of severities)
    for (const observed of [ending, { ...ending, stored: rolling, items: [] }, left]) {
      const open = diagnosed(rollout(finding({ ...named, severity })));
      const stuck = withRollout(transition(observed), observed, open).status;
      const next = { ...observed, stored: stuck };
      const later = withRollout(transition(next), next, diagnosed(rollout())).status;
      const notes = [
        ...eventsForStatusChange(observed.stored, stuck, { moved: [] }),
        ...eventsForStatusChange(stuck, later, { moved: [] }),
      ].map(({ note }) => note);
      expect(notes.join("\n")).not.toMatch(/shop|till-7/);
    }
});

test("follows the rollout of a waiting plan that wrote nothing", () => {
  const { rollouts: _none, ...status } = inProgress;
  const found = appliedItem(psi({ changes: false }));
  expect(isRolloutOpen({ ...status, items: [found] })).toBe(true);
  expect(isRolloutOpen({ ...status, items: [doneItem(found)] })).toBe(false);
  expect(isRolloutOpen({ ...status, phase: "ReviewRequired", items: [found] })).toBe(false);
});

const onChange = { when: "on-change" } as const;
const plan: Status = { phase: "ReviewRequired", planHash: "a" };
const entry = { node: "w-0", kind: "VirtualMachineInstance", namespace: "a", name: "vm", reason: "Disks" } as const;
const shown = impactFixture();
const aged = (seconds: number, impact: Impact = shown) => ({ ...impact, assessedAt: stamp(now - seconds * 1000) });

function published(stored: Status, impactNow: Impact | undefined, next: Partial<Status> = {}): Decision {
  const status = { ...stored, ...next };
  return publishStatus({ status, requeue: onChange }, at(stored), { impact: impactNow });
}

test("stores the first assessment of a plan at once", () => {
  const fresh = aged(0);
  expect(published(plan, fresh).status.impact).toBe(fresh);
  const drafting: Status = { phase: "Drafting", planHash: "a" };
  expect(published(drafting, fresh, { phase: "ReviewRequired" }).status).not.toHaveProperty("impact");
  expect(published({ ...plan, planHash: "b" }, fresh, { planHash: "a" }).status).not.toHaveProperty("impact");
});

test("does not store an assessment that only has a new time", () => {
  const stored = { ...plan, impact: aged(3_600) };
  expect(published(stored, aged(0))).toEqual({ status: stored, requeue: onChange });
});

const facts: readonly (readonly [string, Partial<Impact>])[] = [
  ["nodes", { nodes: 11 }],
  ["held nodes", { held: 1 }],
  ["a class", { pools: shown.pools.map((pool) => ({ ...pool, class: "Drain" })) }],
  ["blockers", { blockers: [entry] }],
  ["stopped VMs", { stops: [entry] }],
  ["capacity", { capacity: { ...shown.capacity, fits: "No" } }],
  ["unread inputs", { notAssessed: [{ what: "pods", reason: "Forbidden", message: "" }] }],
];

test.each(facts)("updates %s at most once a minute", (_what, change) => {
  const fresh = aged(0, impactFixture(change));
  expect(published({ ...plan, impact: aged(60) }, fresh).status.impact).toBe(fresh);
  const early = published({ ...plan, impact: aged(59) }, fresh);
  expect(early.status.impact).toEqual(aged(59));
  expect(early.requeue).toEqual({ when: "at", atMs: Math.floor(now / 1000) * 1000 + 1_000 });
});

test("updates other numbers at most once in ten minutes", () => {
  const fresh = aged(0, impactFixture({ vms: { ...(shown.vms ?? noVms), migrate: 213 } }));
  expect(published({ ...plan, impact: aged(599) }, fresh).status.impact).toEqual(aged(599));
  expect(published({ ...plan, impact: aged(600) }, fresh).status.impact).toBe(fresh);
});

test("a running plan keeps the impact of its start", () => {
  const running: Status = { ...plan, phase: "InProgress", impact: aged(3_600) };
  expect(published(running, aged(0, impactFixture({ nodes: 3 }))).status.impact).toEqual(aged(3_600));
  const { impact: _impact, ...unassessed } = running;
  expect(published(unassessed, aged(0)).status.impact).toEqual(aged(0));
  expect(published({ ...plan, impact: aged(5) }, aged(0), { phase: "InProgress" }).status.impact).toEqual(aged(5));
});

test("replaces an incomplete impact once after the start", () => {
  const listing = (nodes: number) =>
    aged(0, impactFixture({ nodes, notAssessed: [{ what: "VMs", reason: "Listing", message: "" }] }));
  const running: Status = { ...plan, phase: "InProgress" };
  expect(published(running, listing(1)).status).not.toHaveProperty("impact");
  const stored = { ...running, impact: listing(1) };
  expect(published(stored, listing(2)).status.impact).toEqual(listing(1));
  const whole = published(stored, aged(0));
  expect(whole.status.impact).toEqual(aged(0));
  expect(published(whole.status, aged(0, impactFixture({ nodes: 3 }))).status.impact).toEqual(aged(0));
});

test("an assessment changes only the impact, at most once a minute", () => {
  const anyStep = fc.record({ seconds: fc.nat(120), nodes: fc.nat(2), migrate: fc.nat(2) });
  const law = fc.property(fc.array(anyStep, { maxLength: 20 }), (steps) => {
    let [status, nowMs] = [plan, now];
    const writes: number[] = [];
    for (const { seconds, nodes, migrate } of steps) {
      nowMs += seconds * 1000;
      const impactNow = impactFixture({ nodes, vms: { ...noVms, migrate }, assessedAt: stamp(nowMs) });
      const observed = { ...at(status), now: nowMs };
      const next = publishStatus({ status, requeue: onChange }, observed, { impact: impactNow }).status;
      const { impact: _impact, ...rest } = next;
      expect(rest).toEqual(plan);
      if (next.impact !== status.impact) writes.push(nowMs);
      status = next;
    }
    return writes.every((at, index) => index === 0 || at - (writes[index - 1] ?? 0) >= 59_000);
  });
  fc.assert(law);
});
