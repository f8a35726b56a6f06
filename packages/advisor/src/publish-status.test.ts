import type { Impact, RolloutFinding, RolloutStatus, Status } from "@virt/api";
import { findingCatalogue } from "@virt/impact";
import fc from "fast-check";
import { expect, test } from "vitest";
import { conditionOf } from "./conditions/status-conditions.ts";
import type { Decision } from "./observed.ts";
import { type DiagnosedRollout, publishStatus } from "./publish-status.ts";
import { isRolloutOpen } from "./rollout/rollouts.ts";
import { eventsForStatusChange } from "./status-events.ts";
import { impactFixture } from "./testing/impact-fixtures.ts";
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
const rollout = (...findings: readonly RolloutFinding[]): RolloutStatus => ({
  summary: `${findings.length} findings`,
  pools: [{ name: "worker", total: 3, done: 1, inHand: 1, waiting: 1, degraded: 0 }],
  nodes: [],
  findings,
  more: { pools: 0, nodes: 0, findings: 0 },
});
const pending = [{ machineConfig: "99-psi", startTime: secondsAgo(600), before: [] }];
const { stored: inProgress } = observedWith("InProgress");
const { stored: completed } = observedWith("Completed");
const decide = (status: Status): Decision => ({ status, requeue: { when: "on-change" } });
const rolling = { ...inProgress, rollouts: pending };
const at = (stored: Status) => ({ stored, now, generation, items: [] });
const withRollout = (decision: Decision, observed: Parameters<typeof publishStatus>[1], fresh?: DiagnosedRollout) =>
  publishStatus(decision, observed, { rollout: fresh });
const diagnosed = (status: RolloutStatus, dueMs = 0, nextMs?: number) => ({ rollout: status, dueMs, nextMs });

test("a blocking finding stalls a running plan, with the command that helps, and nothing is reconciling", () => {
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

test("a condition lists the options for a blocking VM, and stopping it comes last with its downtime", () => {
  const vm = finding({ object: { kind: "VirtualMachineInstance", namespace: "a", name: "b" } });
  const { status } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(vm)));
  const { message = "" } = conditionOf(status, "Stalled") ?? {};
  expect(message).toMatch(
    /^VM a\/b blocks the drain of w-0\. Next: choose one of these options \(least disruptive first\): \(1\) Make/,
  );
  expect(message).toMatch(/The VM is down until you start it again\. Command: virtctl stop b -n a$/);
});

test("both turn back by themselves when the cause is gone", () => {
  const { status: stuck } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(finding())));
  const { status } = withRollout(
    decide({ ...rolling, rollout: stuck.rollout ?? rollout() }),
    at(stuck),
    diagnosed(rollout()),
  );
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
  expect(conditionOf(status, "Reconciling")).toMatchObject({ status: "True", reason: "InProgress" });
});

test("a warning stalls nothing", () => {
  const { status } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(finding({ severity: "warning" }))));
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
});

test("what is not due yet waits, the conditions say what is written, and the config is reconciled when it is", () => {
  const shown = { ...rolling, rollout: rollout(), progress: "1/3 nodes" };
  const later = now + 4000;
  const { status, requeue } = withRollout(decide(shown), at(shown), diagnosed(rollout(finding()), later));
  expect(status.rollout).toEqual(rollout());
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
  expect(requeue).toEqual({ when: "at", atMs: later });
});

test("with a change of the phase it is written at once, due or not", () => {
  const shown = { ...rolling, rollout: rollout() };
  const next = { ...completed, rollouts: pending, rollout: rollout() };
  const fresh = rollout(finding({ severity: "warning" }));
  expect(withRollout(decide(next), at(shown), diagnosed(fresh, now + 4000)).status.rollout).toEqual(fresh);
});

test("a status that is written for another reason carries the fresh rollout, due or not", () => {
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

test("the progress column says that a rollout is stuck, until the cause is gone", () => {
  const { status: stuck } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(finding())));
  expect(stuck.progress).toBe("stuck: 1/3 nodes");
  const { status } = withRollout(decide({ ...rolling, rollout: rollout(finding()) }), at(stuck), diagnosed(rollout()));
  expect(status.progress).toBe("1/3 nodes");
});

test("the progress column counts the nodes that status.rollout counts", () => {
  const fresh: RolloutStatus = {
    ...rollout(),
    pools: ["infra", "worker"].map((name) => ({ name, total: 3, done: 2, inHand: 1, waiting: 0, degraded: 0 })),
  };
  const { status } = withRollout(decide({ ...rolling, progress: "0/3 nodes" }), at(rolling), diagnosed(fresh));
  expect(status.progress).toBe("4/6 nodes");
});

test("a cause that comes of age is diagnosed then", () => {
  const { requeue } = withRollout(decide(rolling), at(rolling), diagnosed(rollout(), 0, now + 7000));
  expect(requeue).toEqual({ when: "at", atMs: now + 7000 });
});

test("without a diagnosis a running plan keeps what it shows, and stays stalled", () => {
  const shown = { ...rolling, rollout: rollout(finding()) };
  const { status } = withRollout(decide(shown), at(shown), undefined);
  expect(status.rollout).toEqual(rollout(finding()));
  expect(conditionOf(status, "Stalled")?.reason).toBe("RolloutStuck");
});

test("a rollout that has ended stays without its findings, whatever is due", () => {
  const { status } = withRollout(decide(completed), at(rolling), diagnosed(rollout(finding()), now + 9000));
  expect(status.rollout?.findings).toEqual([]);
  expect(status.rollout?.pools).toHaveLength(1);
  // The status of the pool takes precedence over an outdated node.
  expect(status.rollout).toMatchObject({
    summary: "worker pool: 3 of 3 nodes updated",
    pools: [{ name: "worker", total: 3, done: 3, inHand: 0, waiting: 0, degraded: 0 }],
  });
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
  expect(conditionOf(status, "Ready")).toEqual(conditionOf(completed, "Ready"));
});

test("in a completed phase a finding extends the message of Ready, and stalls nothing", () => {
  const unconverged = { ...completed, rollouts: pending };
  const { status } = withRollout(decide(unconverged), at(unconverged), diagnosed(rollout(finding())));
  const ready = conditionOf(unconverged, "Ready");
  expect(conditionOf(status, "Ready")).toEqual({
    ...ready,
    message: `${ready?.message}: VM a/b blocks the drain of w-0. Next: virtctl stop b -n a`,
  });
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
});

test("a decision that is retried, and a config without any rollout, stay as they are", () => {
  const retry: Decision = { status: rolling, requeue: { when: "retry", message: "503" } };
  expect(withRollout(retry, at(rolling), diagnosed(rollout(finding())))).toBe(retry);
  const plain = decide(completed);
  expect(withRollout(plain, at(completed), undefined)).toEqual(plain);
});

/** A plan that ends with errors while its pools still change. */
const ending = observedWith("InProgress", {
  spec: { failurePolicy: "Continue" },
  items: [observedItem(failedItem(psi(), "Timed out")), observedItem(doneItem(deschedulerItem()), { isInPlace: true })],
  rollouts: pending.map((record) => ({ record, health: health("waiting", "pool worker: 1 of 3 nodes updated") })),
  stored: { rollouts: pending },
});

const gap = { what: "VirtualMachineInstance", reason: "Forbidden", message: "403" } as const;

test("a status shows the inputs that the diagnosis could not read", () => {
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

test("that pools are left behind is reported in an event without the VM that the message of Ready names", () => {
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

test.each(Object.keys(findingCatalogue))("no event names the VM that finding %s names", (id) => {
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

test("the rollout of a plan that waits for nodes is followed, although the plan wrote nothing", () => {
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

test("the first assessment of a plan is stored as soon as the plan is", () => {
  const fresh = aged(0);
  expect(published(plan, fresh).status.impact).toBe(fresh);
  const drafting: Status = { phase: "Drafting", planHash: "a" };
  expect(published(drafting, fresh, { phase: "ReviewRequired" }).status).not.toHaveProperty("impact");
  expect(published({ ...plan, planHash: "b" }, fresh, { planHash: "a" }).status).not.toHaveProperty("impact");
});

test("an assessment that shows the same at another time is not stored", () => {
  const stored = { ...plan, impact: aged(3_600) };
  expect(published(stored, aged(0))).toEqual({ status: stored, requeue: onChange });
});

const facts: readonly (readonly [string, Partial<Impact>])[] = [
  ["a node", { nodes: 11 }],
  ["a held node", { held: 1 }],
  ["a class", { pools: shown.pools.map((pool) => ({ ...pool, class: "Drain" })) }],
  ["a blocker", { blockers: [entry] }],
  ["something that stops", { stops: [entry] }],
  ["room", { capacity: { ...shown.capacity, fits: "No" } }],
  ["what could not be read", { notAssessed: [{ what: "pods", reason: "Forbidden", message: "" }] }],
];

test.each(facts)("another fact, %s, is shown at most once a minute", (_what, change) => {
  const fresh = aged(0, impactFixture(change));
  expect(published({ ...plan, impact: aged(60) }, fresh).status.impact).toBe(fresh);
  const early = published({ ...plan, impact: aged(59) }, fresh);
  expect(early.status.impact).toEqual(aged(59));
  expect(early.requeue).toEqual({ when: "at", atMs: Math.floor(now / 1000) * 1000 + 1_000 });
});

test("other numbers are shown at most once in ten minutes", () => {
  const fresh = aged(0, impactFixture({ vms: { ...(shown.vms ?? noVms), migrate: 213 } }));
  expect(published({ ...plan, impact: aged(599) }, fresh).status.impact).toEqual(aged(599));
  expect(published({ ...plan, impact: aged(600) }, fresh).status.impact).toBe(fresh);
});
const noVms = { migrate: 0, block: 0, stop: 0, restart: 0, external: 0, starting: 0, unknown: 0 };

test("while a plan runs the impact is that of its start; one that started at once is assessed there", () => {
  const running: Status = { ...plan, phase: "InProgress", impact: aged(3_600) };
  expect(published(running, aged(0, impactFixture({ nodes: 3 }))).status.impact).toEqual(aged(3_600));
  const { impact: _impact, ...unassessed } = running;
  expect(published(unassessed, aged(0)).status.impact).toEqual(aged(0));
  expect(published({ ...plan, impact: aged(5) }, aged(0), { phase: "InProgress" }).status.impact).toEqual(aged(5));
});

test("what is still being listed is not frozen with a plan that started, but replaced once", () => {
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

test("what is assessed changes neither the plan nor the phase, and is stored at most once a minute", () => {
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
