// Remediates workers that stop responding, so that their VMs restart on other nodes.

import { contentForms, type JsonMap } from "@virt/api";
import { object } from "@virt/cluster";
import { defineAsset } from "@virt/platform";
import {
  nodeHealthCheck,
  nodeHealthCheckRef,
  nodeRemediation,
  selfNodeTemplate,
  selfNodeTemplateIn,
  standardSettings,
  templateHomeOf,
  templateHomes,
  workersOnly,
} from "../../node-health-check.ts";

const target = {
  ...nodeHealthCheckRef,
  crd: "nodehealthchecks.remediation.medik8s.io",
  operator: "Node Health Check Operator",
} as const;

/** The remediation that the template creates. If its operator is not installed, the check has no effect. */
const remediation = {
  apiVersion: selfNodeTemplate.apiVersion,
  kind: "SelfNodeRemediation",
  crd: "selfnoderemediations.self-node-remediation.medik8s.io",
  operator: "Self Node Remediation Operator",
} as const;

const [preferredHome, otherHome] = templateHomes;

const rendered = (home: string) =>
  nodeHealthCheck({
    ...standardSettings,
    selector: workersOnly,
    remediation: { remediationTemplate: selfNodeTemplateIn(home) },
  });

const { constantFields, fields, oneOf, required } = contentForms;
const { remediationTemplate: _template, ...fixed } = rendered(preferredHome)["spec"] as JsonMap;
const spec = fields({
  ...constantFields(fixed),
  remediationTemplate: required(
    fields({
      ...constantFields(selfNodeTemplate, "required"),
      namespace: required(oneOf(...templateHomes)),
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
    preferredTemplate: object({ ...selfNodeTemplate, namespace: preferredHome }),
    otherTemplate: object({ ...selfNodeTemplate, namespace: otherHome }),
  },
  purpose: nodeRemediation,
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
  render: ({ own, preferredTemplate, otherTemplate }) =>
    rendered(templateHomeOf([preferredTemplate, otherTemplate], own)),
});
