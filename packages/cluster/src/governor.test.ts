import type { Ref } from "@virt/objects";
import { expect, test } from "vitest";
import { type GovernorConfig, governedFields, governorOf, governorOfPurpose } from "./governor.ts";

const hco: Ref = {
  apiVersion: "hco.kubevirt.io/v1beta1",
  kind: "HyperConverged",
  namespace: "openshift-cnv",
  name: "kubevirt-hyperconverged",
};

const plan = (action: string | undefined, executedGeneration?: number): GovernorConfig => ({
  metadata: { name: "virt-higher-density" },
  spec: { profile: "virt-higher-density", ...(action === undefined ? {} : { action }) },
  status: {
    ...(executedGeneration === undefined ? {} : { executedGeneration }),
    items: [{ targetRef: hco, managedFields: ["spec.a", "spec.b"] }, { targetRef: { ...hco, name: "other" } }],
  },
});

const purposesOf = (profile: string) => (profile === "virt-higher-density" ? ["kubelet-swap"] : []);

const cases: readonly { reason: string; plans: readonly GovernorConfig[]; governor: string | undefined }[] = [
  { reason: "an approved plan governs", plans: [plan("Apply", 3)], governor: "virt-higher-density" },
  {
    reason: "a plan governs while the next one is previewed",
    plans: [plan("DryRun", 3)],
    governor: "virt-higher-density",
  },
  { reason: "a preview does not govern", plans: [plan("DryRun")], governor: undefined },
  { reason: "an ignored config does not govern", plans: [plan("Ignore", 3)], governor: undefined },
  { reason: "a deleted config does not govern", plans: [], governor: undefined },
  {
    reason: "a config without status does not govern",
    plans: [{ metadata: { name: "x" }, spec: { profile: "virt-higher-density", action: "Apply" } }],
    governor: undefined,
  },
];

test.each(cases)("$reason", ({ plans, governor }) => {
  expect(governorOf(plans, hco)).toBe(governor);
  expect(governorOfPurpose(plans, "kubelet-swap", purposesOf)).toBe(governor);
  expect(governedFields(plans, hco)).toEqual(governor === undefined ? [] : ["spec.a", "spec.b"]);
});

test("identifies an object by group, kind, namespace and name, not version", () => {
  const plans = [plan("Apply", 1)];
  expect(governorOf(plans, { ...hco, apiVersion: "hco.kubevirt.io/v1" })).toBe("virt-higher-density");
  expect(governorOf(plans, { ...hco, apiVersion: "v1beta1" })).toBeUndefined();
  expect(governorOf(plans, { ...hco, namespace: "elsewhere" })).toBeUndefined();
  expect(governorOf(plans, { ...hco, kind: "Other" })).toBeUndefined();
});

test("unites the fields of several plans", () => {
  expect(governedFields([plan("Apply", 1), plan("Apply", 2)], hco)).toEqual(["spec.a", "spec.b"]);
});

test("translates a field of another version", () => {
  const targetRef = { ...hco, apiVersion: "hco.kubevirt.io/v1beta1" };
  const managedFields = ["spec.higherWorkloadDensity.memoryOvercommitPercentage", "spec.a"];
  const written = { ...plan("Apply", 1), status: { executedGeneration: 1, items: [{ targetRef, managedFields }] } };
  expect(governedFields([written], { ...hco, apiVersion: "hco.kubevirt.io/v1" })).toEqual([
    "spec.virtualization.higherWorkloadDensity.memoryOvercommitPercentage",
    "spec.a",
  ]);
  expect(governedFields([written], targetRef)).toEqual(managedFields);
});

test("an unknown purpose has no governor", () => {
  expect(governorOfPurpose([plan("Apply", 1)], "psi", purposesOf)).toBeUndefined();
});
