import type { JsonMap, KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const golden = (namespace: string) => `apiVersion: remediation.medik8s.io/v1alpha1
kind: NodeHealthCheck
metadata:
  name: virt-node-health-check
spec:
  minHealthy: 51%
  remediationTemplate:
    apiVersion: self-node-remediation.medik8s.io/v1alpha1
    kind: SelfNodeRemediationTemplate
    name: self-node-remediation-automatic-strategy-template
    namespace: ${namespace}
  selector:
    matchExpressions:
    - key: node-role.kubernetes.io/worker
      operator: Exists
    - key: node-role.kubernetes.io/control-plane
      operator: DoesNotExist
    - key: node-role.kubernetes.io/master
      operator: DoesNotExist
  stormCooldownDuration: 5m
  unhealthyConditions:
  - duration: 300s
    status: "False"
    type: Ready
  - duration: 300s
    status: Unknown
    type: Ready
`;
const [preferred, other] = ["openshift-workload-availability", "openshift-operators"] as const;
const template = (namespace: string): KubeObject => ({
  apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
  kind: "SelfNodeRemediationTemplate",
  metadata: { name: "self-node-remediation-automatic-strategy-template", namespace },
});
const preferredTemplate = template(preferred);
const otherTemplate = template(other);

/** In the real CRD, the reference is atomic. Other schemas may treat it as separate fields. */
const whole: JsonMap = {};
const byField: JsonMap = { "f:namespace": {} };

const pointingAt = (namespace: string, manager = "virt-platform-operator", fields = whole): KubeObject => ({
  apiVersion: "remediation.medik8s.io/v1alpha1",
  kind: "NodeHealthCheck",
  metadata: {
    name: "virt-node-health-check",
    managedFields: [
      {
        manager,
        operation: manager.startsWith("virt-") ? "Apply" : "Update",
        apiVersion: "remediation.medik8s.io/v1alpha1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:remediationTemplate": fields } },
      },
    ],
  },
  spec: { remediationTemplate: { namespace } },
});

test.each([
  { reason: "without a template, refers to the usual namespace", facts: {}, namespace: preferred },
  { reason: "uses the template in the operators' namespace", facts: { otherTemplate }, namespace: other },
  {
    reason: "prefers the template in the operator's own namespace",
    facts: { preferredTemplate, otherTemplate },
    namespace: preferred,
  },
  {
    reason: "keeps the reference if another template appears later",
    facts: { preferredTemplate, otherTemplate, own: pointingAt(other) },
    namespace: other,
  },
  {
    reason: "keeps a reference that is owned field by field",
    facts: { preferredTemplate, otherTemplate, own: pointingAt(other, "virt-platform-operator", byField) },
    namespace: other,
  },
  {
    reason: "keeps the reference of the advisor's plan",
    facts: { preferredTemplate, otherTemplate, own: pointingAt(other, "virt-advisor-operator-vm-high-availability") },
    namespace: other,
  },
  {
    reason: "switches to the other template if the current one is gone",
    facts: { preferredTemplate, own: pointingAt(other) },
    namespace: preferred,
  },
  {
    reason: "ignores a reference that another client set",
    facts: { preferredTemplate, otherTemplate, own: pointingAt(other, "kubectl-edit") },
    namespace: preferred,
  },
  {
    reason: "ignores a namespace that is not the operator's",
    facts: { otherTemplate, own: pointingAt("theirs") },
    namespace: other,
  },
])("$reason", ({ facts, namespace }) => {
  expect(renderedAsset(asset, facts)).toBe(golden(namespace));
});
