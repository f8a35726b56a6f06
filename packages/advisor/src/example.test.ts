// Takes a plan from Pending to Completed, with an in-memory cluster. The real controller is in
// apps/operator/src/advisor.

import type { KubeObject, Phase, Status, VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import {
  composeDraft,
  defineProfile,
  observe,
  plannedItems,
  type ReconcileFacts,
  recordItemResult,
  transition,
  wantsDraft,
} from "./index.ts";

const target = { apiVersion: "v1", kind: "ConfigMap", namespace: "demo", name: "greeting" };
const desired: KubeObject = {
  apiVersion: target.apiVersion,
  kind: target.kind,
  metadata: { namespace: target.namespace, name: target.name },
  data: { text: "hello" },
};

const profile = defineProfile({
  name: "greeting",
  category: "example",
  description: "Greets the reader",
  impactSummary: "None",
  impact: "Low",
  documentation: "EXAMPLE_PROFILE",
  isAdvertised: false,
  purposes: [],
  targets: [{ group: "", kind: "ConfigMap", plural: "configmaps", names: ["greeting"], namespaces: ["demo"] }],
  reads: {},
  needs: () => [],
  refuse: () => undefined,
  inputs: () => [],
  plan: () => [
    {
      name: "say-hello",
      operation: "Apply",
      message: "The greeting will be created",
      target,
      desired,
      managedFields: ["data.text"],
      warnings: [],
      impact: { create: "Low", change: "Low" },
    },
  ],
});

test("drafts, shows and applies a plan, one decision at a time", () => {
  let live: KubeObject | undefined;
  let status: Status = {};
  let spec: VirtPlatformConfig["spec"] = {
    profile: profile.name,
    action: "DryRun",
    failurePolicy: "Abort",
    bypassOptimisticLock: false,
  };
  let generation = 1;

  const gatherFacts = (): ReconcileFacts => ({
    now: Date.parse("2026-01-01T00:00:00Z"),
    operator: { version: "1.0.0", mustPin: false },
    config: { apiVersion: "", kind: "", metadata: { name: profile.name, generation }, spec, status },
    profile,
    facts: { ownNamespace: "operators" },
    isServed: () => true,
    live: () => live,
    pools: [],
    renderedOf: () => undefined,
    isForDraft: true,
    statusOrigin: "own",
  });

  function reconcile(): Phase | undefined {
    const facts = gatherFacts();
    const undrafted = observe(facts, new Map()); // no drift
    // In the real controller, a dry run predicts the object.
    const compared = plannedItems(facts).map((planned) => ({ planned, live, predicted: desired, conflicts: [] }));
    const observed = wantsDraft(undrafted) ? { ...undrafted, draft: composeDraft(facts, compared) } : undrafted;
    let decision = transition(observed);
    if (decision.effect !== undefined) {
      live = { ...desired, metadata: { ...desired.metadata, uid: "1", resourceVersion: "1" } }; // the only write
      decision = recordItemResult(observed, decision.effect.item, { kind: "confirmed" });
    }
    status = decision.status;
    return status.phase;
  }

  expect(reconcile()).toBe("Drafting");
  expect(reconcile()).toBe("ReviewRequired");
  expect(status.items?.[0]?.diff).toContain("+  text: hello");
  expect(reconcile()).toBe("ReviewRequired"); // waits for an approval

  spec = { ...spec, action: "Apply" };
  generation += 1;
  expect(reconcile()).toBe("InProgress"); // records approval and intent first
  expect(live).toBeUndefined();
  expect(reconcile()).toBe("InProgress");
  expect(live).toMatchObject({ data: { text: "hello" } });
  expect(reconcile()).toBe("Completed");
});
