// An example of an impact: a kernel argument for two workers with three VMs, one of which cannot migrate.

import { readClusterShape, readNodeFact, readVirtSettings, readVmFact } from "@virt/cluster";
import { expect, test } from "vitest";
import { assessed, assessImpact, disruptionOf, notAssessed, readDisruptionPolicies } from "./index.ts";
import { nodeObject, poolObject, psiConfig, vmObject } from "./testing/cluster-builder.ts";

test("summarizes the impact of a plan and omits unread inputs", () => {
  const pools = [poolObject("worker")];
  const policies = assessed(readDisruptionPolicies(undefined));
  const vms = [
    vmObject("web", "worker-0"),
    vmObject("database", "worker-0", { isMigratable: false }),
    vmObject("batch", "worker-1", { strategy: "None", owner: null }),
  ];
  const impact = assessImpact({
    assessedAt: "2026-01-01T00:00:00Z",
    disruption: disruptionOf([{ before: undefined, after: psiConfig() }], pools, policies),
    pools,
    nodes: assessed([nodeObject("worker-0"), nodeObject("worker-1")].map(readNodeFact)),
    policies,
    renderedOf: () => undefined,
    shape: assessed(readClusterShape(undefined)),
    settings: assessed(readVirtSettings(undefined, undefined)),
    vms: assessed(vms.map(readVmFact)),
    runStrategies: assessed(new Map()),
    budgets: notAssessed("Forbidden"),
    kubeletConfigs: assessed([]),
    pods: notAssessed("Forbidden", "pods is forbidden"),
    restartSamples: new Map(),
  });
  expect(impact.summary).toBe(
    "Reboots 2 nodes (worker pool, one at a time). Live-migrates 1 VM. 1 VM blocks the drain of worker-0. Stops 1 VM. Takes 20 minutes to 1.5 hours, not counting blocked time.",
  );
  expect(impact.blockers).toEqual([
    {
      node: "worker-0",
      kind: "VirtualMachineInstance",
      namespace: "vms",
      name: "database",
      reason: "DisksNotLiveMigratable",
    },
  ]);
  expect(impact.notAssessed).toEqual([{ what: "pods", reason: "Forbidden", message: "pods is forbidden" }]);
});
