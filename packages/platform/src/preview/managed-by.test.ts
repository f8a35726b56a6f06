import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import type { ObjectDecision } from "../baseline/decision.ts";
import { excludedStatus, heldStatus, type Reason } from "../evaluate/asset-status.ts";
import type { EvaluatedObject } from "../evaluate/evaluate-object.ts";
import { managedBy } from "./managed-by.ts";

const ours = "virt-platform-operator";
const theirs = "virt-platform-autopilot";
const thing: KubeObject = { apiVersion: "v1", kind: "Thing", metadata: { name: "thing" } };
const labelled: KubeObject = {
  ...thing,
  metadata: { name: "thing", labels: { "platform.kubevirt.io/managed-by": theirs } },
};
const excluded = (reason: Reason, details = ""): EvaluatedObject => ({
  statuses: new Map([["asset", excludedStatus(reason, details)]]),
  wanted: { kind: "excluded" },
});
const active: EvaluatedObject = {
  statuses: new Map([["asset", { kind: "active", object: thing, leftOut: [] }]]),
  wanted: { kind: "object", baseline: thing, parts: [], governed: [] },
};
const held: EvaluatedObject = {
  statuses: new Map([["asset", heldStatus("InvalidConfiguration", "")]]),
  wanted: { kind: "held", reason: "InvalidConfiguration", message: "" },
};
const inSync: ObjectDecision = { kind: "in-sync", contested: [], intent: thing };

type Case = Partial<Parameters<typeof managedBy>[0]>;

test.each<[string, Case, string]>([
  ["an object in sync is ours", { evaluated: active, decision: inSync, live: thing }, ours],
  ["a paused object is ours", { evaluated: active, decision: { kind: "paused", reason: "manual" } }, ours],
  ["an object on hold is ours", { evaluated: held }, ours],
  ["an object that a plan governs", { evaluated: excluded("GovernedByPlan", "VirtPlatformConfig load-aware") }, "VirtPlatformConfig/load-aware"], // biome-ignore format: one line
  ["an object of an active autopilot", { evaluated: excluded("NotActivated"), live: labelled }, theirs],
  ["an object that the autopilot claims", { evaluated: excluded("ClaimedByAutopilot") }, theirs],
  [
    "an object that a quiet autopilot labelled",
    {
      evaluated: active,
      decision: { kind: "managed-by-other", by: theirs },
      live: labelled,
      autopilot: { state: "Off" },
    },
    "none",
  ],
  ["an unmanaged object", { evaluated: active, decision: { kind: "unmanaged" }, live: thing }, "none"],
  ["an object of a disabled feature", { evaluated: excluded("SwitchedOff"), live: thing }, "none"],
])("%s", (_case, given, manager) => {
  const autopilot = { state: "Active" } as const;
  expect(managedBy({ live: undefined, evaluated: active, decision: undefined, autopilot, ...given })).toBe(manager);
});
