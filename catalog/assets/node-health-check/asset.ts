// Has workers that stopped answering remediated, so that their VMs start elsewhere.

import type { KubeObject } from "@virt/api";
import { defineAsset, objects } from "@virt/platform";

const target = {
  apiVersion: "remediation.medik8s.io/v1alpha1",
  kind: "NodeHealthCheck",
  name: "virt-node-health-check",
  crd: "nodehealthchecks.remediation.medik8s.io",
} as const;

const template = {
  apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
  kind: "SelfNodeRemediationTemplate",
  name: "self-node-remediation-automatic-strategy-template",
} as const;

/** What a template becomes on a node: without its operator nobody would act on the check. */
const remediation = {
  apiVersion: template.apiVersion,
  kind: "SelfNodeRemediation",
  crd: "selfnoderemediations.self-node-remediation.medik8s.io",
} as const;

export default defineAsset({
  name: "node-health-check",
  feature: "node-health-check",
  tier: "always-on",
  phase: 1,
  order: 20,
  target,
  needs: [],
  gates: [remediation],
  dependency: "optional",
  switch: { annotation: "enable-node-health-check", default: "on" },
  reads: { templates: objects(template.apiVersion, template.kind) },
  singleton: true, // two checks over the same nodes would remediate twice
  adoption: "whole",
  impact: "pods",
  render: ({ templates }) => ({
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: { name: target.name },
    spec: {
      minHealthy: "51%",
      stormCooldownDuration: "5m",
      selector: {
        matchExpressions: [
          { key: "node-role.kubernetes.io/worker", operator: "Exists" },
          { key: "node-role.kubernetes.io/control-plane", operator: "DoesNotExist" },
          { key: "node-role.kubernetes.io/master", operator: "DoesNotExist" },
        ],
      },
      unhealthyConditions: [
        { type: "Ready", status: "False", duration: "300s" },
        { type: "Ready", status: "Unknown", duration: "300s" },
      ],
      remediationTemplate: { ...template, namespace: placeOf(templates) },
    },
  }),
});

const usual = ["openshift-workload-availability", "openshift-operators"] as const;

// Where its operator was installed. While it is nowhere the check stays disabled, which is no harm.
function placeOf(templates: readonly KubeObject[]): string {
  const places = templates
    .filter(({ metadata }) => metadata.name === template.name)
    .flatMap(({ metadata }) => metadata.namespace ?? [])
    .toSorted();
  return usual.find((place) => places.includes(place)) ?? places[0] ?? usual[0];
}
