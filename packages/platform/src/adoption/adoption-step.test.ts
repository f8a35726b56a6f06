import { activationAnnotation, autopilotAnnotation, autopilotName, type KubeObject, managedByLabel } from "@virt/api";
import { expect, test } from "vitest";
import { objectKey } from "../evaluate/managed-objects.ts";
import { refOfObject } from "./adoption-row.ts";
import { type AdoptionPlan, nextAdoptionStep, nextReturnStep, type ObservedAdoption } from "./adoption-step.ts";

type Annotations = Readonly<Record<string, string>>;
const object = (kind: string, name: string, annotations: Annotations = {}, value = "theirs"): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, uid: `uid of ${name}`, labels: { [managedByLabel.key]: autopilotName }, annotations },
  spec: { value },
});

const hco = object("HyperConverged", "hco");
const psi = object("MachineConfig", "psi");
const swap = object("MachineConfig", "their-swap");
const ourSwap = { apiVersion: "v1", kind: "MachineConfig", name: "our-swap" };
const switched = { [autopilotAnnotation]: "false", [activationAnnotation]: "psi" };
const adopt = "platform.kubevirt.io/adopt";

const plan: AdoptionPlan = {
  hco,
  annotations: switched,
  takeOver: [{ live: psi, predicted: psi }],
  overwrite: [],
  replace: [{ theirs: swap, ours: [ourSwap] }],
  keyWithReplaced: "psi,swap",
  pools: ["worker"],
};

const stepAfter = (objects: readonly KubeObject[], observed: Partial<ObservedAdoption> = {}) => {
  const live = new Map(objects.map((one) => [objectKey(refOfObject(one)), one]));
  return nextAdoptionStep(plan, {
    hco: objects.find(({ kind }) => kind === "HyperConverged"),
    isAutopilotOff: true,
    rollingPools: [],
    live: (ref) => live.get(objectKey(ref)),
    ...observed,
  });
};

test("starts nothing while an affected pool is rolling, but finishes a replacement", () => {
  const rolling = { rollingPools: ["worker"] };
  const message = "MachineConfigPool worker is rolling out another change";
  expect(stepAfter([hco, psi, swap], rolling)).toEqual({ kind: "changed", message });
  const off = object("HyperConverged", "hco", { ...switched, [activationAnnotation]: "psi,swap" });
  const replaced = object("MachineConfig", "their-swap", { [adopt]: "replace" });
  const created = object("MachineConfig", "our-swap");
  expect(stepAfter([off, replaced, created], rolling)).toEqual({ kind: "delete", object: replaced });
});

test("does not override a switch that another user has changed since the preview", () => {
  const message = `annotation ${activationAnnotation} has changed since the preview`;
  const other = object("HyperConverged", "hco", { [activationAnnotation]: "false" });
  expect(stepAfter([other, psi, swap])).toEqual({ kind: "changed", message });
});

test("does not mark an object whose content has changed since the preview", () => {
  const off = object("HyperConverged", "hco", switched);
  const edited = object("MachineConfig", "psi", {}, "edited");
  const message = "spec.value of MachineConfig psi has changed since the preview";
  expect(stepAfter([off, edited, swap])).toEqual({ kind: "changed", message });
  const recreated = { ...psi, metadata: { ...psi.metadata, uid: "another" } };
  expect(stepAfter([off, recreated, swap])).toEqual({ kind: "changed", message: "MachineConfig psi was replaced" });
});

test("skips an object that no longer exists", () => {
  const off = object("HyperConverged", "hco", { ...switched, [activationAnnotation]: "psi,swap" });
  expect(stepAfter([off])).toEqual({ kind: "done" });
});

test("marks nothing before the autopilot is off", () => {
  const off = object("HyperConverged", "hco", switched);
  expect(stepAfter([off, psi, swap], { isAutopilotOff: false })).toEqual({ kind: "wait-until-off" });
});

test("the way back switches the autopilot on as the last step", () => {
  const idle = object("HyperConverged", "hco", { ...switched, [activationAnnotation]: "false" });
  const marked = object("MachineConfig", "psi", { [adopt]: "true" });
  const next = (objects: readonly KubeObject[], isControllerIdle: boolean) =>
    nextReturnStep(
      { hco: object("HyperConverged", "hco", switched), adopted: [marked] },
      { hco: objects[0], isControllerIdle, live: (ref) => objects.find(({ metadata }) => metadata.name === ref.name) },
    );
  expect(next([object("HyperConverged", "hco", switched), marked], false)).toMatchObject({ kind: "patch" });
  expect(next([idle, marked], false)).toEqual({ kind: "wait-until-idle" });
  expect(next([idle, marked], true)).toMatchObject({ kind: "patch", object: marked });
  expect(next([idle, psi], true)).toMatchObject({ kind: "patch", object: idle });
  expect(next([object("HyperConverged", "hco", { [activationAnnotation]: "false" }), psi], true)).toEqual({
    kind: "done",
  });
});
