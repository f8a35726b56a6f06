// A plan from Pending to Completed, with a made-up profile and a cluster that is one object in memory: what a controller does with this
// package. The real one is apps/operator/src/advisor/reconcile.ts.

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
  description: "Greets whoever reads it",
  impactSummary: "None",
  impact: "Low",
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

test("a plan is drafted, reviewed, approved and applied, one decision at a time", () => {
  let live: KubeObject | undefined; // the cluster
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
    const undrafted = observe(facts, new Map()); // nothing has drifted
    // A dry run would predict the object; here it becomes what is applied.
    const compared = plannedItems(facts).map((planned) => ({ planned, live, predicted: desired, conflicts: [] }));
    const observed = wantsDraft(undrafted) ? { ...undrafted, draft: composeDraft(facts, compared) } : undrafted;
    let decision = transition(observed);
    if (decision.effect !== undefined) {
      live = { ...desired, metadata: { ...desired.metadata, uid: "1", resourceVersion: "1" } }; // the one write
      decision = recordItemResult(observed, decision.effect.item, { kind: "confirmed" });
    }
    status = decision.status;
    return status.phase;
  }

  expect(reconcile()).toBe("Drafting");
  expect(reconcile()).toBe("ReviewRequired");
  expect(status.items?.[0]?.diff).toContain("+  text: hello");
  expect(reconcile()).toBe("ReviewRequired"); // nothing happens until a person approves

  spec = { ...spec, action: "Apply" };
  generation += 1;
  expect(reconcile()).toBe("InProgress"); // approval and intent go on record first
  expect(live).toBeUndefined();
  expect(reconcile()).toBe("InProgress");
  expect(live).toMatchObject({ data: { text: "hello" } });
  expect(reconcile()).toBe("Completed");
});
