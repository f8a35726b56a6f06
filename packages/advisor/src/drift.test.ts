import { fieldManagers, type JsonMap, type KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { admissionChanges, driftText, itemDriftText, mutationWarning } from "./drift.ts";
import { deschedulerItem, doneItem, drift, observedItem, psi, removal } from "./testing/observed-fixtures.ts";

const prefix = "Configuration has drifted from desired state";

test("reports the fields, both values and the managers of a changed object", () => {
  const seen = observedItem(doneItem(deschedulerItem()), { drift: drift() });
  expect(driftText([seen])).toBe(
    `${prefix}: KubeDescheduler 'cluster': spec.mode ("Automatic" -> "Predictive"), by kubectl-edit`,
  );
  expect(itemDriftText(seen.item, drift({ managers: [] }))).toBe(
    `${prefix}: spec.mode ("Automatic" -> "Predictive"), by an unknown client`,
  );
});

test("reports a deleted object without a list of its fields", () => {
  const deleted = drift({ kind: "deleted", managers: [], changes: ["a", "b", "c"] });
  const seen = observedItem(doneItem(deschedulerItem()), { drift: deleted });
  const text = `${prefix}: KubeDescheduler 'cluster' was deleted by an unknown client (see the API server's audit log)`;
  expect([driftText([seen]), itemDriftText(seen.item, deleted)]).toEqual([text, text]);
});

test("reports a re-created object, and lists all drifted objects", () => {
  const back = observedItem(doneItem(removal()), { drift: drift({ kind: "created-again", managers: ["argocd"] }) });
  const changed = observedItem(doneItem(psi()), { drift: drift() });
  expect(driftText([back, changed])).toBe(
    `${prefix}: MachineConfig '${removal().targetRef.name}' was re-created by argocd; MachineConfig '${psi().targetRef.name}': spec.mode ("Automatic" -> "Predictive"), by kubectl-edit`,
  );
});

test("reports the removed setting that had made an object unnecessary", () => {
  const skipped = { ...doneItem(psi()), changes: false, reviewed: { uid: "", resourceVersion: "", hash: "" } };
  const gone = drift({ kind: "deleted", changes: ['spec.kernelArguments (["psi=1"] -> absent)'] });
  expect(itemDriftText(skipped, gone)).toBe(
    `${prefix}: the setting that made MachineConfig '${psi().targetRef.name}' unnecessary was removed: spec.kernelArguments (["psi=1"] -> absent)`,
  );
});

test("blames admission for its mutation, not the last editor", () => {
  const text =
    'MutatedByAdmission: spec.mode ("Automatic" -> "Predictive"), by an admission webhook or policy that modifies every apply';
  const seen = observedItem(doneItem(deschedulerItem()), { drift: drift({ kind: "mutated" }) });
  expect(itemDriftText(seen.item, drift({ kind: "mutated" }))).toBe(`${prefix}: ${text}`);
  expect(driftText([seen])).toBe(`${prefix}: KubeDescheduler 'cluster': ${text}`);
});

const object = (spec: JsonMap, owned: JsonMap = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: {
    name: "t",
    managedFields: [
      {
        manager: fieldManagers.advisor,
        operation: "Apply",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": owned },
      },
    ],
  },
  spec,
});
const fieldsChanged = (applied: JsonMap, stored: JsonMap, owned?: JsonMap) =>
  admissionChanges(object(applied), object(stored, owned), "virt-advisor-operator").map(({ path }) => path.join("/"));

test("a different stored value is a mutation even if we own the field", () => {
  expect(fieldsChanged({ mode: "A", other: 1 }, { mode: "B", other: 1 }, { "f:mode": {} })).toEqual(["f:spec/f:mode"]);
  expect(fieldsChanged({ mode: "A" }, {})).toEqual(["f:spec/f:mode"]);
});

test("equivalent values, defaults and fields of others are not mutations", () => {
  expect(fieldsChanged({ after: "60s" }, { after: "1m0s", more: true })).toEqual([]);
  expect(fieldsChanged({ list: [{ key: "a" }] }, { list: [{ key: "a", effect: "NoSchedule" }] })).toEqual([]);
});

test("in a shared list, only changed entries of ours are a mutation", () => {
  const owned = { "f:gates": { 'k:{"name":"a"}': { ".": {}, "f:name": {}, "f:on": {} } } };
  const others = { name: "b", on: true };
  const applied = { gates: [{ name: "a", on: true }] };
  expect(fieldsChanged(applied, { gates: [others, { name: "a", on: true }] }, owned)).toEqual([]);
  expect(fieldsChanged(applied, { gates: [others, { name: "a", on: false }] }, owned)).toEqual(["f:spec/f:gates"]);
});

test("the warning names the field, both values and the next step", () => {
  const changes = admissionChanges(object({ mode: "A" }), object({ mode: "B" }), "virt-advisor-operator");
  expect(mutationWarning(changes)).toBe(
    'MutatedByAdmission: admission modifies the fields that this item applies: spec.mode ("A" -> "B"). Next: find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)',
  );
});
