// Has workers that stopped answering remediated, so that their VMs start elsewhere.

import { contentForms, fieldManagers, type KubeObject } from "@virt/api";
import { appliedBy, asText, at, fieldPath, readOwners, touchesField } from "@virt/engine";
import { object } from "@virt/facts";
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

/** What a template becomes on a node: without its operator nobody would act on the check. */
const remediation = {
  apiVersion: template.apiVersion,
  kind: "SelfNodeRemediation",
  crd: "selfnoderemediations.self-node-remediation.medik8s.io",
  operator: "Self Node Remediation Operator",
} as const;

/** Where its operator is installed, by OperatorHub's own choice first. A template anywhere else is not its operator's. */
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
  singleton: true, // two checks over the same nodes would remediate twice
  adoption: "whole",
  impact: "pods",
  values: {
    minHealthy: {
      reason: "Remediation stops if half of the workers are unhealthy, because the cause is then not a single node.",
      source: "default of this operator",
    },
    stormCooldownDuration: {
      reason: "After several remediations, the cluster gets time to recover.",
      source: "default of this operator",
    },
    selector: {
      reason: "Workers that are not control plane nodes.",
      source: "default of this operator",
    },
    unhealthyConditions: {
      reason: "Five minutes, so that a reboot in progress is noticed first.",
      source: "default of the Node Health Check Operator",
    },
    remediationTemplate: {
      reason: "Self Node Remediation reboots the node. The namespace is the one that has its template.",
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
 * It stays where it points while that template exists: one that appears elsewhere must not take remediation over. While
 * there is none at all the check stays disabled, which is no harm.
 */
function homeOf(templates: readonly (KubeObject | undefined)[], own: KubeObject | undefined): string {
  const found = homes.filter((home) => templates.some((one) => one?.metadata.namespace === home));
  const current = found.find((home) => home === currentHome(own));
  return current ?? found[0] ?? preferredHome;
}

/** As we set it: where somebody else moved it to does not count. */
function currentHome(own: KubeObject | undefined): string | undefined {
  const names = ["spec", "remediationTemplate", "namespace"] as const;
  if (own === undefined) return undefined;
  const isOurs = touchesField(appliedBy(readOwners(own), fieldManagers.platform), fieldPath(...names));
  return isOurs ? asText(at(own, ...names)) : undefined;
}
