// Tests plans whose disruption changed after they were shown, because pools or policies changed.

import { expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import { drafted, generation, observedItem, observedWith, psi } from "../testing/observed-fixtures.ts";
import { transition, wantsDraft } from "../transition.ts";

const stored = { disruption: [{ pool: "worker", class: "Reboot" }] } as const;
const approval = { spec: { action: "Apply" }, generation: generation + 1 } as const;
const moved = (given: Parameters<typeof observedWith>[1]) =>
  observedWith("ReviewRequired", { isDisruptionStale: true, items: [observedItem(psi())], ...given, stored });

test("an approved plan with another disruption does not start", () => {
  const { status, effect } = transition(moved(approval));
  expect(status).toMatchObject({ phase: "Drafting", review: { reason: "PlanStale", forced: true } });
  expect(conditionOf(status, "PlanStale")?.status).toBe("True");
  expect(effect).toBeUndefined();
  expect(transition({ ...moved(approval), isDisruptionStale: false }).status.phase).toBe("InProgress");
});

test("a waiting plan is redrafted in place", () => {
  const observed = moved({ spec: { action: "DryRun" } });
  expect(wantsDraft(observed)).toBe(true);
  expect(wantsDraft({ ...observed, isDisruptionStale: false })).toBe(false);
  const disruption = [...stored.disruption, { pool: "zone", class: "Reboot" }] as const;
  const { status } = transition({ ...observed, draft: drafted([psi()], { planHash: "f".repeat(64), disruption }) });
  expect(status).toMatchObject({ phase: "ReviewRequired", disruption, planHash: "f".repeat(64) });
});

test("a plan without disruption stores no list", () => {
  const { status } = transition({
    ...moved({ spec: { action: "DryRun" } }),
    draft: drafted([psi()], { planHash: "f".repeat(64) }),
  });
  expect(status).not.toHaveProperty("disruption");
});
