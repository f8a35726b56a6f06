// Remediation of workers, by whichever template is there.

import { expect, test } from "vitest";
import { rendered } from "../world.ts";
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
const template = (namespace: string, name = "self-node-remediation-automatic-strategy-template") => ({
  apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
  kind: "SelfNodeRemediationTemplate",
  metadata: { name, namespace },
});

test.each([
  { reason: "without a template it is where it would be", templates: [], namespace: "openshift-workload-availability" },
  { reason: "a template is used where it is", templates: [template("b"), template("a")], namespace: "a" },
  {
    reason: "one among operators comes before others",
    templates: [template("a"), template("openshift-operators")],
    namespace: "openshift-operators",
  },
  {
    reason: "one in its own namespace comes first",
    templates: [template("openshift-operators"), template("openshift-workload-availability")],
    namespace: "openshift-workload-availability",
  },
  {
    reason: "another template does not count",
    templates: [template("a", "x")],
    namespace: "openshift-workload-availability",
  },
])("$reason", ({ templates, namespace }) => {
  expect(rendered(asset, { templates })).toBe(golden(namespace));
});
