// Tests plans from earlier releases, whose hashes cover less than those of this release.

import { readFileSync } from "node:fs";
import type { Spec, Status } from "@virt/api";
import { describe, expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import { planHash, specHash } from "../hashes.ts";
import type { Observed } from "../observed.ts";
import { drafted, observedItem, observedWith, spec } from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

/** A status from a release whose hash covers only the items, recorded in a simulated cluster. */
const recorded = JSON.parse(
  readFileSync(new URL("../testing/status-before-disruption.json", import.meta.url), "utf8"),
) as Status & { readonly planHash: string };
const profile = "load-aware-rebalancing";
const disruption = [{ pool: "worker", class: "Reboot" }] as const;
const items = recorded.items ?? [];
/** The hash of the same items in a later release, which also covers the disruption. */
const previousHash = "16d81dce9042ebdfc69fead7eda2c0627e0315a9e9a12d719a1ee300e6811dcd";
const previous = {
  ...recorded,
  disruption,
  planHash: previousHash,
  ...(recorded.review && { review: { ...recorded.review, planHash: previousHash } }),
};
const settings = "guards, bypassOptimisticLock, failurePolicy and waitTimeout";
const releases = [
  ["without disruption", recorded, `${settings} and the disruption of pools (worker: Reboot)`],
  ["without execution settings", previous, settings],
] as const;
const upgraded = { kind: "differs", reason: "OperatorUpgraded", text: "the hash covers more" } as const;
const draftHash = planHash(spec({ profile }), items, disruption);
const draft = drafted(items, { planHash: draftHash, disruption });

function takenOver(was: Status, asked: Partial<Spec>, version: string, given: Partial<Observed> = {}): Observed {
  const wanted = spec({ profile, ...asked });
  const observed = observedWith("ReviewRequired", { items: items.map((item) => observedItem(item)) });
  return {
    ...observed,
    spec: wanted,
    stored: { ...was, specHash: specHash(wanted) },
    operator: { version, mustPin: false },
    statusOrigin: "unknown",
    draft,
    generation: 2,
    ...given,
  };
}

describe.each(releases)("a plan hashed %s", (_release, was, additions) => {
  test.each(["v0.1.0", "v0.2.0"])("needs a new approval by version %s, with the reason", (version) => {
    const approved = { action: "Apply", approvedPlan: was.planHash } as const;
    const refused = transition(takenOver(was, approved, version, { planCheck: upgraded }));
    expect(refused.status).toMatchObject({ phase: "Drafting", review: { reason: "OperatorUpgraded", forced: true } });
    expect(conditionOf(refused.status, "PlanStale")).toBeUndefined();
    const shown = transition(takenOver(was, approved, version, { stored: refused.status }));
    expect(shown.status).toMatchObject({ phase: "ReviewRequired", planHash: draftHash, disruption });
    expect(shown.status.review).toMatchObject({ reason: "OperatorUpgraded", forced: true, planHash: draftHash });
    const short = was.planHash.slice(0, 12);
    expect(conditionOf(shown.status, "Ready")?.message).toMatch(
      `Plan ${draftHash.slice(0, 12)} needs a new review: the plan hash of operator version ${version} also covers ${additions}; the items are the same as in plan ${short}; spec.approvedPlan names plan ${short}. Next: review status.items`,
    );
    const again = { action: "Apply", approvedPlan: draftHash } as const;
    const kept = { stored: shown.status, generation: 3, statusOrigin: "own" } as const;
    expect(transition(takenOver(was, again, version, kept)).status.phase).toBe("InProgress");
  });

  test("gets its new hash if it is not approved", () => {
    const { status } = transition(takenOver(was, { action: "DryRun" }, "v0.1.0", { generation: 1 }));
    expect(status).toMatchObject({ phase: "ReviewRequired", planHash: draftHash, review: { reason: "Requested" } });
    expect(status.review).not.toHaveProperty("message");
  });

  test("continues while it is in progress, named or not", () => {
    for (const pin of [{}, { approvedPlan: was.planHash }]) {
      const running: Status = { ...was, phase: "InProgress", observedGeneration: 2, executedGeneration: 2 };
      const { status } = transition(takenOver(running, { action: "Apply", ...pin }, "v0.2.0"));
      expect(status).toMatchObject({ phase: "InProgress", planHash: was.planHash, executedGeneration: 2 });
    }
  });

  test("stays completed and keeps its hash", () => {
    const done = items.map((item) => ({ ...item, state: "Completed" }) as const);
    const completed: Status = {
      ...was,
      items: done,
      phase: "Completed",
      observedGeneration: 2,
      executedGeneration: 2,
      operatorVersion: "v0.1.0",
    };
    const observed = takenOver(completed, { action: "Apply", approvedPlan: was.planHash }, "v0.2.0", {
      items: done.map((item) => observedItem(item)),
      upgrade: "same",
    });
    const { status, effect } = transition(observed);
    expect(status).toMatchObject({ phase: "Completed", planHash: was.planHash, operatorVersion: "v0.2.0" });
    expect(effect).toBeUndefined();
  });
});
