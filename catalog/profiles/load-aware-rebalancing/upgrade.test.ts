import { observe, type ReconcileFacts, type VmNodesFact } from "@virt/advisor";
import type { Item } from "@virt/api";
import { expect, test } from "vitest";
import profile from "./profile.ts";
import { factsWith } from "./testing/facts.ts";

const stored = profile.plan(undefined, { ...factsWith({}) }).map(
  ({ name, message, target, managedFields, ...item }): Item => ({
    name,
    message,
    targetRef: target,
    managedFields,
    operation: "Apply",
    impactSeverity: "High",
    changes: true,
    diff: "",
    state: "Completed",
    ...(item.operation === "Apply" && { desiredState: item.desired }),
  }),
);

function seenFor(roles: VmNodesFact["roles"]): ReconcileFacts {
  const spec = { profile: profile.name, action: "Apply", failurePolicy: "Abort", bypassOptimisticLock: false } as const;
  return {
    now: 0,
    operator: { version: "v2", mustPin: false },
    config: {
      apiVersion: "",
      kind: "",
      metadata: { name: profile.name, generation: 1 },
      spec,
      status: { phase: "Completed", operatorVersion: "v1", items: stored },
    },
    profile,
    facts: { ...factsWith({ vmNodes: { roles, nodes: undefined } }) },
    isServed: () => true,
    live: () => undefined,
    pools: [],
    renderedOf: () => undefined,
    isForDraft: true,
    statusOrigin: "own",
  };
}

test("an upgrade differs if VMs run on other roles", () => {
  expect(observe(seenFor(["worker"]), new Map()).upgrade).toBe("same");
  expect(observe(seenFor(["master"]), new Map()).upgrade).toBe("differs");
  expect(observe(seenFor(["worker", "master"]), new Map()).upgrade).toBe("differs");
});
