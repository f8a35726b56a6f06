// A VirtPlatformConfig as a user writes it, and with the status that the advisor adds.

import { expect, test } from "vitest";
import {
  configKind,
  type EventMessage,
  phaseConditions,
  phases,
  priorityOfEvent,
  type VirtPlatformConfig,
} from "./index.ts";

const config: VirtPlatformConfig = {
  apiVersion: configKind.apiVersion,
  kind: configKind.kind,
  metadata: { name: "load-aware-rebalancing", generation: 2 }, // a config has the name of its profile
  spec: {
    profile: "load-aware-rebalancing",
    action: "Apply",
    failurePolicy: "Abort",
    bypassOptimisticLock: false,
    options: { loadAware: { deschedulingIntervalSeconds: 60 } },
  },
  status: { phase: "InProgress", observedGeneration: 2, executedGeneration: 2 },
};

test("every phase has a condition of the same name", () => {
  expect(phaseConditions).toContain(config.status?.phase);
  expect(phaseConditions.toSorted()).toEqual(phases.toSorted());
});

test("approvals are important events, and refreshed plans are routine", () => {
  const event: EventMessage = { type: "Normal", reason: "PlanApproved", note: "Plan 1234abcd approved" };
  expect(priorityOfEvent(event.reason)).toBe("important");
  expect(priorityOfEvent("PlanRefreshed")).toBe("routine");
});
