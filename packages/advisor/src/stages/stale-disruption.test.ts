// Plans whose consequences are others than those on display: the pools or the policies moved, or an earlier release drafted them.

import { readFileSync } from "node:fs";
import type { Spec, Status } from "@virt/api";
import { expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import { planHash, specHash } from "../hashes.ts";
import type { Observed } from "../observed.ts";
import {
  drafted,
  examplePlanHash,
  generation,
  observedItem,
  observedWith,
  psi,
  spec,
} from "../testing/observed-fixtures.ts";
import { transition, wantsDraft } from "../transition.ts";

const stored = { disruption: [{ pool: "worker", class: "Reboot" }] } as const;
const approval = { spec: { action: "Apply" }, generation: generation + 1 } as const;
const moved = (given: Parameters<typeof observedWith>[1]) =>
  observedWith("ReviewRequired", { isDisruptionStale: true, items: [observedItem(psi())], ...given, stored });

test("an approved plan that would now do something else to a pool is not started, and a new one waits", () => {
  const { status, effect } = transition(moved(approval));
  expect(status).toMatchObject({ phase: "Drafting", review: { reason: "PlanStale", forced: true } });
  expect(conditionOf(status, "PlanStale")?.status).toBe("True");
  expect(effect).toBeUndefined();
  expect(transition({ ...moved(approval), isDisruptionStale: false }).status.phase).toBe("InProgress");
});

test("one that waits is drafted again in place", () => {
  const observed = moved({ spec: { action: "DryRun" } });
  expect(wantsDraft(observed)).toBe(true);
  expect(wantsDraft({ ...observed, isDisruptionStale: false })).toBe(false);
  const disruption = [...stored.disruption, { pool: "zone", class: "Reboot" }] as const;
  const { status } = transition({ ...observed, draft: drafted([psi()], { planHash: "f".repeat(64), disruption }) });
  expect(status).toMatchObject({ phase: "ReviewRequired", disruption, planHash: "f".repeat(64) });
});

test("a plan that disturbs no pool stores no list", () => {
  const { status } = transition({
    ...moved({ spec: { action: "DryRun" } }),
    draft: drafted([psi()], { planHash: "f".repeat(64) }),
  });
  expect(status).not.toHaveProperty("disruption");
});

/** As the release before this one stored it, on a simulated cluster. */
const recorded = JSON.parse(
  readFileSync(new URL("../testing/status-before-disruption.json", import.meta.url), "utf8"),
) as Status & { readonly planHash: string };
const profile = "load-aware-rebalancing";
const disruption = [{ pool: "worker", class: "Reboot" }] as const;
const items = recorded.items ?? [];
const anew = drafted(items, { planHash: planHash(profile, items, disruption), disruption });

/** Taken over from a process before, and drafted again. */
function takenOver(asked: Partial<Spec>, version: string, given: Partial<Observed> = {}): Observed {
  const wanted = spec({ profile, ...asked });
  const observed = observedWith("ReviewRequired", { items: items.map((item) => observedItem(item)) });
  const operator = { version, mustPin: false };
  const was = { ...recorded, specHash: specHash(wanted) };
  return {
    ...observed,
    spec: wanted,
    stored: was,
    operator,
    statusOrigin: "unknown",
    draft: anew,
    generation: 2,
    ...given,
  };
}

test("the recorded plan has the hash of its items alone", () => {
  expect(planHash(profile, items)).toBe(recorded.planHash);
  expect(recorded).not.toHaveProperty("disruption");
  expect(recorded.planHash).not.toBe(examplePlanHash);
});

test.each(["v0.1.0", "v0.2.0"])(
  "version %s asks once more for the approval of a recorded plan, and says why",
  (version) => {
    const approved = { action: "Apply", approvedPlan: recorded.planHash } as const;
    const refused = transition(takenOver(approved, version));
    expect(refused.status).toMatchObject({ phase: "Drafting", review: { reason: "OperatorUpgraded", forced: true } });
    expect(conditionOf(refused.status, "PlanStale")).toBeUndefined();
    const shown = transition(takenOver(approved, version, { stored: refused.status }));
    expect(shown.status).toMatchObject({ phase: "ReviewRequired", planHash: anew.planHash, disruption });
    expect(shown.status.review).toMatchObject({ reason: "OperatorUpgraded", forced: true, planHash: anew.planHash });
    const short = recorded.planHash.slice(0, 8);
    expect(conditionOf(shown.status, "Ready")?.message).toMatch(
      `Plan ${anew.planHash.slice(0, 8)} waits: operator version ${version} includes the disruption of pools in the plan hash, here worker (Reboot); its items are those of plan ${short}; spec.approvedPlan names plan ${short}. Next: review status.items`,
    );
    const again = { action: "Apply", approvedPlan: anew.planHash } as const;
    const kept = { stored: shown.status, generation: 3, statusOrigin: "own" } as const;
    expect(transition(takenOver(again, version, kept)).status.phase).toBe("InProgress");
  },
);

test("a recorded plan that nobody has approved is shown with its new hash and nothing else", () => {
  const { status } = transition(takenOver({ action: "DryRun" }, "v0.1.0", { generation: 1 }));
  expect(status).toMatchObject({ phase: "ReviewRequired", planHash: anew.planHash, review: { reason: "Requested" } });
  expect(status.review).not.toHaveProperty("message");
});
