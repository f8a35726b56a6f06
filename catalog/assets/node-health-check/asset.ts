// Remediates workers that stop responding, so that their VMs restart on other nodes.

import { contentForms, fieldManagers, type KubeObject } from "@virt/api";
import { object } from "@virt/cluster";
import { appliedBy, asText, at, fieldPath, readOwners, touchesField } from "@virt/objects";
import { defineAsset } from "@virt/platform";

const target = {
  apiVersion: "remediation.medik8s.io/v1alpha1",
  kind: "NodeHealthCheck",
  name: "virt-node-health-check",
  crd: "nodehealthchecks.remediation.medik8s.io",
  operator: "Node Health Check Operator",
} as const;

const template = {
  apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
  kind: "SelfNodeRemediationTemplate",
  name: "self-node-remediation-automatic-strategy-template",
} as const;

/** The remediation that the template creates. If its operator is not installed, the check has no effect. */
const remediation = {
  apiVersion: template.apiVersion,
  kind: "SelfNodeRemediation",
  crd: "selfnoderemediations.self-node-remediation.medik8s.io",
  operator: "Self Node Remediation Operator",
} as const;

/**
 * The namespaces in which the remediation operator may run, with OperatorHub's default first. Templates in other
 * namespaces are ignored.
 */
const homes = ["openshift-workload-availability", "openshift-operators"] as const;
const [preferredHome, otherHome] = homes;

const fixed = {
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
};

const { constantFields, fields, oneOf, required } = contentForms;
const spec = fields({
  ...constantFields(fixed),
  remediationTemplate: required(
    fields({
      ...constantFields(template, "required"),
      namespace: required(oneOf(...homes)),
    }),
  ),
});

export default defineAsset({
  name: "node-health-check",
  feature: { name: "node-health-check", description: "Remediation of workers that stopped responding", maturity: "TP" },
  tier: "always-on",
  phase: 1,
  order: 20,
  target,
  needs: [],
  gates: [remediation],
  dependency: "optional",
  switch: { annotation: "enable-node-health-check", default: "on" },
  forms: [{ apiVersion: target.apiVersion, spec }],
  reads: {
    own: object(target),
    preferredTemplate: object({ ...template, namespace: preferredHome }),
    otherTemplate: object({ ...template, namespace: otherHome }),
  },
  singleton: true, // two checks for the same nodes would remediate them twice
  adoption: "whole",
  impact: "pods",
  values: {
    minHealthy: {
      reason: "Remediation stops if half of the workers are unhealthy, because the cause is then not a single node.",
      source: "operator default",
    },
    stormCooldownDuration: {
      reason: "After several remediations, the cluster gets time to recover.",
      source: "operator default",
    },
    selector: {
      reason: "Checks workers that are not control plane nodes.",
      source: "operator default",
    },
    unhealthyConditions: {
      reason: "Waits for five minutes, so that a normal reboot does not trigger remediation.",
      source: "Node Health Check Operator default",
    },
    remediationTemplate: {
      reason: "Self Node Remediation reboots the node. The namespace is that of the template.",
      source: "object SelfNodeRemediationTemplate",
    },
  },
  render: ({ own, preferredTemplate, otherTemplate }) => ({
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: { name: target.name },
    spec: {
      ...fixed,
      remediationTemplate: { ...template, namespace: homeOf([preferredTemplate, otherTemplate], own) },
    },
  }),
});

/**
 * Returns the template's namespace. Keeps the current namespace while it has a template, so that a new template
 * elsewhere changes nothing. Without any template, the check is disabled.
 */
function homeOf(templates: readonly (KubeObject | undefined)[], own: KubeObject | undefined): string {
  const found = homes.filter((home) => templates.some((one) => one?.metadata.namespace === home));
  const current = found.find((home) => home === currentHome(own));
  return current ?? found[0] ?? preferredHome;
}

/** Returns the namespace that the operator set earlier. Ignores changes by other clients. */
function currentHome(own: KubeObject | undefined): string | undefined {
  const names = ["spec", "remediationTemplate", "namespace"] as const;
  if (own === undefined) return undefined;
  const isOurs = touchesField(appliedBy(readOwners(own), fieldManagers.platform), fieldPath(...names));
  return isOurs ? asText(at(own, ...names)) : undefined;
}
