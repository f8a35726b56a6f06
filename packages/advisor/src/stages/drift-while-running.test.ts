import type { Status } from "@virt/api";
import { expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import { eventsForStatusChange } from "../status-events.ts";
import {
  appliedItem,
  deschedulerItem,
  doneItem,
  drift,
  failedItem,
  health,
  observedItem,
  observedWith,
  psi,
} from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

const rolling = { rollout: health("waiting", "MachineConfigPool 'worker' is updating (1 of 3 nodes updated)") };
const trueConditions = ({ conditions = [] }: Status) =>
  conditions.filter(({ status }) => status === "True").map(({ type }) => type);

test("drift of a completed item sets a condition while the plan runs", () => {
  const items = [
    observedItem(appliedItem(psi()), rolling),
    observedItem(doneItem(deschedulerItem()), { drift: drift() }),
  ];
  const observed = observedWith("InProgress", { items });
  const { status } = transition(observed);
  expect(status.phase).toBe("InProgress");
  expect(trueConditions(status)).toEqual(["InProgress", "Drifted", "Reconciling"]);
  expect(status.items?.[1]?.message).toContain("Configuration has drifted from desired state: spec.mode");
  expect(conditionOf(status, "Drifted")).toMatchObject({
    reason: "DriftDetected",
    message:
      'Configuration has drifted from desired state: KubeDescheduler \'cluster\': spec.mode ("Automatic" -> "Predictive"), by kubectl-edit',
  });
  const events = eventsForStatusChange(observed.stored, status, { moved: [] });
  expect(events.map(({ reason }) => reason)).toEqual(["DriftDetected"]);

  const back = transition({ ...observed, stored: status, items: items.map(({ drift: _none, ...item }) => item) });
  expect(trueConditions(back.status)).toEqual(["InProgress", "Reconciling"]);
});

test("drift of a target that still rolls out comes first in its message", () => {
  const items = [observedItem(appliedItem(psi()), { ...rolling, drift: drift() })];
  const { status } = transition(observedWith("InProgress", { items }));
  expect(trueConditions(status)).toContain("Drifted");
  expect(status.items?.[0]?.message).toBe(
    'Configuration has drifted from desired state: spec.mode ("Automatic" -> "Predictive"), by kubectl-edit; MachineConfigPool \'worker\' is updating (1 of 3 nodes updated)',
  );
});

test("a plan whose target changed during its rollout ends in Drifted", () => {
  const items = [observedItem(appliedItem(psi()), { rollout: health("done"), drift: drift() })];
  const { status: next } = transition(observedWith("InProgress", { items }));
  const done = observedWith("InProgress", { items: [observedItem(doneItem(psi()), { drift: drift() })], stored: next });
  expect(transition(done).status.phase).toBe("Drifted");
});

test("applied items of a failed plan still report drift", () => {
  const items = [observedItem(doneItem(deschedulerItem()), { drift: drift() }), observedItem(failedItem(psi()))];
  const { status } = transition(observedWith("Failed", { items }));
  expect(status.phase).toBe("Failed");
  expect(trueConditions(status)).toEqual(["Drifted", "Failed", "Stalled"]);
});

test("a plan that starts with a changed target reports its drift", () => {
  const found = psi({ changes: false });
  const items = [observedItem(found, { ...rolling, drift: drift() })];
  const { status } = transition(
    observedWith("ReviewRequired", { items, spec: { action: "Apply", bypassOptimisticLock: true } }),
  );
  expect(status.phase).toBe("InProgress");
  expect(trueConditions(status)).toContain("Drifted");
  expect(status.items?.[0]).toMatchObject({
    state: "InProgress",
    message: expect.stringMatching(/^Configuration has drifted .+; MachineConfigPool 'worker' is updating/),
    diff: drift().diff,
  });
});
