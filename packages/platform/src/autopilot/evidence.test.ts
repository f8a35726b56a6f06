import { expect, test } from "vitest";
import { autopilotEvidence, autopilotViewText, handOverCommand } from "./evidence.ts";

const ref = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  namespace: "openshift-kube-descheduler-operator",
};
const label = { "platform.kubevirt.io/managed-by": "virt-platform-autopilot" };
const time = "2026-01-01T00:00:00Z";
const entry = {
  manager: "virt-platform-autopilot",
  operation: "Apply",
  time,
  fieldsV1: { "f:spec": { "f:mode": {} } },
};
const live = (metadata: object) => ({ ...ref, metadata: { name: "cluster", ...metadata } });

test("names the label, the field manager and the time of its last write", () => {
  const evidence = autopilotEvidence(live({ labels: label, managedFields: [entry] }));
  expect(evidence).toEqual({
    label: "platform.kubevirt.io/managed-by=virt-platform-autopilot",
    manager: "virt-platform-autopilot",
    lastWrite: time,
  });
  expect(autopilotEvidence(live({ labels: label }))).not.toHaveProperty("manager");
  expect(autopilotEvidence(live({ managedFields: [entry] }))).not.toHaveProperty("label");
});

test("an object without traces of the autopilot has no evidence", () => {
  const other = live({
    labels: { "platform.kubevirt.io/managed-by": "virt-platform-operator" },
    managedFields: [{ ...entry, manager: "virt-platform-operator" }],
  });
  expect(autopilotEvidence(other)).toBeUndefined();
  expect(autopilotEvidence(undefined)).toBeUndefined();
});

test("the line ends with the command that takes over the object", () => {
  const evidence = autopilotEvidence(live({ labels: label, managedFields: [entry] }));
  const handOver = handOverCommand(ref);
  expect(evidence && autopilotViewText({ state: "Active", evidence, handOver })).toBe(
    `Active, label platform.kubevirt.io/managed-by=virt-platform-autopilot, field manager virt-platform-autopilot (last write ${time}). To take over this object, run: kubectl annotate kubedescheduler cluster -n openshift-kube-descheduler-operator --overwrite platform.kubevirt.io/mode=unmanaged platform.kubevirt.io/governor=virt-platform-operator`,
  );
  expect(autopilotViewText({ state: "Off" })).toBe("Off, it has not written this object");
});
