import type { KubeObject } from "@virt/api";
import type { AutopilotState } from "@virt/cluster";
import { expect, test } from "vitest";
import { isRevertedByAutopilot } from "./autopilot-targets.ts";
import { composeDraft } from "./compose-draft.ts";
import { observe } from "./observe.ts";
import { kernelObject, reconcileFacts } from "./testing/facts-fixtures.ts";
import { drift, psi } from "./testing/observed-fixtures.ts";
import { machineTarget, smallProfile } from "./testing/small-profile.ts";

const theirs = "virt-platform-autopilot";
const desired: KubeObject = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  metadata: { name: "cluster" },
  spec: { mode: "Automatic", interval: "60s" },
};

type Live = { readonly kind?: string; readonly spec?: object; readonly owned?: object; readonly mode?: string };

function live({ kind = "KubeDescheduler", spec = { mode: "Predictive", interval: "1m" }, owned, mode }: Live = {}) {
  const { apiVersion, metadata } = desired;
  const fieldsV1 = { "f:spec": owned ?? { "f:mode": {} } };
  const managedFields = [{ manager: theirs, operation: "Apply", apiVersion, fieldsType: "FieldsV1", fieldsV1 }];
  const annotations = mode === undefined ? {} : { "platform.kubevirt.io/mode": mode };
  const labels = { "platform.kubevirt.io/managed-by": theirs };
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, annotations, labels, managedFields },
    spec,
  } as unknown as KubeObject;
}

const active = { state: "Active" } as const;

test.each<[string, KubeObject | undefined, AutopilotState, boolean]>([
  ["a field of its own", live(), "Active", true],
  ["a field of its own, while it is off", live(), "Off", false],
  ["a field of its own, while it is idle", live(), "Idle", false],
  ["a field of its own, while it is absent", live(), "Absent", false],
  ["a field of an unmanaged object", live({ mode: "unmanaged" }), "Active", false],
  ["a field of another manager", live({ owned: { "f:profiles": {} } }), "Active", false],
  ["only the form of a value", live({ spec: { mode: "Automatic", interval: "1m" } }), "Active", false],
  ["the HyperConverged", live({ kind: "HyperConverged", owned: {} }), "Active", false],
  ["an object that does not exist", undefined, "Active", false],
])("a change of %s", (_what, object, state, isReverted) => {
  expect(isRevertedByAutopilot({ desired, live: object }, { state })).toBe(isReverted);
});

test("nothing is reverted before the autopilot was looked up, or by a deletion", () => {
  expect(isRevertedByAutopilot({ desired, live: live() }, undefined)).toBe(false);
  expect(isRevertedByAutopilot({ desired: undefined, live: live() }, active)).toBe(false);
});

const machineConfig = kernelObject("b=2", theirs);
const name = `MachineConfig '${machineTarget.name}'`;

test("a draft warns about a target that the autopilot manages, with the command", () => {
  const facts = reconcileFacts({ objects: [machineConfig], autopilot: active });
  const [planned] = smallProfile.plan(undefined, facts.facts);
  if (planned?.operation !== "Apply") throw new Error("the profile applies nothing");
  const conflicts = [{ field: "spec.kernelArguments", manager: theirs, operation: "Apply" }] as const;
  const predicted = { ...machineConfig, spec: planned.desired["spec"] ?? null };
  const draftWith = (state: AutopilotState) =>
    composeDraft({ ...facts, autopilot: { state } }, [{ planned, live: machineConfig, predicted, conflicts }]);
  const { items, reverted } = draftWith("Active");
  expect(items[0]?.warnings).toContain(
    `${name} is managed by ${theirs}, which reverts this change. Next: kubectl annotate machineconfig ${machineTarget.name} platform.kubevirt.io/mode=unmanaged`,
  );
  expect(items[0]?.conflicts).toEqual(conflicts);
  expect(reverted).toEqual([planned.target]);
  expect(draftWith("Off").items[0]?.warnings?.join()).not.toContain(theirs);
  expect(draftWith("Off").reverted).toEqual([]);
  expect(draftWith("Off").planHash).toBe(draftWith("Active").planHash);
});

test("drift counts as a takeover only while the autopilot is active", () => {
  const item = psi({ targetRef: machineTarget, desiredState: kernelObject("a=1"), state: "Completed" });
  const status = { phase: "Completed", items: [item] } as const;
  const kindWith = (state: AutopilotState) => {
    const facts = reconcileFacts({ objects: [machineConfig], status, autopilot: { state, dueMs: 7 } });
    const { items, autopilotDueMs } = observe(facts, new Map([[item.name, drift()]]));
    return [items[0]?.drift?.kind, autopilotDueMs];
  };
  expect([kindWith("Active"), kindWith("Off")]).toEqual([
    ["taken-over", 7],
    ["changed", 7],
  ]);
});
