import { expect, test } from "vitest";
import { faultOfPolicy, hashPolicySpec } from "./admission-policy.ts";

const spec = { failurePolicy: "Fail", validations: [{ expression: "user == 'system:serviceaccount:here:operator'" }] };
const policy = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "p" },
};
const hash = hashPolicySpec(spec, "here");

test("reports a missing or changed policy, and ours in no namespace", () => {
  expect(faultOfPolicy(undefined, hash, "here")).toBe("is missing");
  expect(faultOfPolicy({ ...policy, spec }, hash, "here")).toBeUndefined();
  const elsewhere = { ...spec, validations: [{ expression: "user == 'system:serviceaccount:there:operator'" }] };
  expect(faultOfPolicy({ ...policy, spec: elsewhere }, hash, "there")).toBeUndefined();
  expect(faultOfPolicy({ ...policy, spec: elsewhere }, hash, "here")).toBe("does not match this release");
  expect(faultOfPolicy({ ...policy, spec: { ...spec, failurePolicy: "Ignore" } }, hash, "here")).toBeDefined();
  expect(faultOfPolicy(policy, hash, "here")).toBe("does not match this release");
});
