import type { RolloutFinding, RolloutStatus, Status } from "@virt/api";
import { expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import type { Decision } from "../observed.ts";
import { generation, now, observedWith, secondsAgo } from "../testing/observed-fixtures.ts";
import { stamp } from "../times.ts";
import { withRollout } from "./publish-rollout.ts";

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
const at = (stored: Status) => ({ stored, now, generation });
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
  const shown = { ...rolling, rollout: rollout() };
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
  // Its pool is the one who knows; a node may have been seen last on its way.
  expect(status.rollout).toMatchObject({
    summary: "3 of 3 nodes of pool worker done",
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
  expect(withRollout(plain, at(completed), undefined)).toBe(plain);
});
