import { expect, test } from "vitest";
import { checkProblem } from "./check.ts";
import type { AvailabilityFacts } from "./facts.ts";
import profile from "./profile.ts";
import { checkNamed, factsWith, ownCheck } from "./testing/facts.ts";

const advisor = "virt-advisor-operator-vm-high-availability";
const platform = "virt-platform-operator";
const written = ["selector", "unhealthyConditions", "minHealthy", "remediationTemplate"];
const spec = { selector: { matchLabels: {} }, unhealthyConditions: [], minHealthy: "51%", remediationTemplate: {} };

const removed = (facts: Partial<AvailabilityFacts>) => profile.plan({ enabled: false }, factsWith(facts));
const nothing = { hco: { ...factsWith().hco, object: undefined } };

test.each([
  { reason: "an absent object, which the framework leaves out", own: undefined },
  { reason: "an object of the advisor alone", own: ownCheck(spec, { [advisor]: written }) },
])("deletes $reason", ({ own }) => {
  expect(removed({ ...nothing, own })).toMatchObject([
    {
      name: "remove-node-health-check",
      operation: "Delete",
      message: "NodeHealthCheck 'virt-node-health-check' will be deleted",
      impact: "Medium",
    },
  ]);
});

const release = {
  name: "release-node-health-check",
  operation: "Apply",
  message: "NodeHealthCheck 'virt-node-health-check' was not created by virt-advisor-operator and is left in place",
  isRelease: true,
};

test("gives up the fields of an object that another manager also owns", () => {
  const own = ownCheck(spec, { [advisor]: written, [platform]: written });
  const [item] = removed({ ...nothing, own });
  expect(item).toMatchObject({ ...release, managedFields: [] });
  expect(item).toHaveProperty("desired", {
    apiVersion: "remediation.medik8s.io/v1alpha1",
    kind: "NodeHealthCheck",
    metadata: { name: "virt-node-health-check" },
  });
});

test("keeps required fields that only the advisor owns", () => {
  const own = ownCheck(spec, { [advisor]: written, [platform]: ["selector", "unhealthyConditions"] });
  expect(removed({ ...nothing, own })).toMatchObject([
    {
      ...release,
      managedFields: ["spec.minHealthy", "spec.remediationTemplate"],
      desired: { spec: { minHealthy: "51%", remediationTemplate: {} } },
    },
  ]);
});

test("also gives up the eviction strategy, before it removes the check", () => {
  const items = removed({});
  expect(items.map(({ name }) => name)).toEqual(["release-eviction-strategy", "remove-node-health-check"]);
  expect(items[0]).toMatchObject({ isRelease: true, managedFields: [] });
  expect(items[0]).not.toHaveProperty("desired.spec");
});

test("depends on nothing", () => {
  expect(profile.inputs({ enabled: false, minHealthy: "2" }, factsWith())).toEqual([]);
});

const reporting = (status: string) => ({
  ...checkNamed("virt-node-health-check"),
  status: { conditions: [{ type: "Disabled", status, reason: "RemediationTemplateNotFound", message: "not found" }] },
});

test("a disabled check is a problem, and one without a report is not processed yet", () => {
  const next = "kubectl describe nodehealthcheck virt-node-health-check";
  expect(checkProblem(reporting("False"))).toBeUndefined();
  expect(checkProblem(reporting("True"))).toEqual({
    message: "NodeHealthCheck 'virt-node-health-check' is disabled: RemediationTemplateNotFound: not found",
    next,
    kind: "fault",
  });
  expect(checkProblem(checkNamed("virt-node-health-check"))).toMatchObject({ kind: "unprocessed", next });
});
