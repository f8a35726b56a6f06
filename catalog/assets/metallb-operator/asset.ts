// Starts MetalLB's controller and speakers. Administrators create the address pools.

import { contentForms } from "@virt/api";
import { defineAsset } from "@virt/platform";

const target = {
  apiVersion: "metallb.io/v1beta1",
  kind: "MetalLB",
  name: "metallb",
  namespace: "metallb-system",
  crd: "metallbs.metallb.io",
  operator: "MetalLB Operator",
} as const;

export default defineAsset({
  name: "metallb-operator",
  feature: { name: "metallb", description: "MetalLB, for services of type LoadBalancer", maturity: "TP" },
  tier: "always-on",
  phase: 1,
  order: 22,
  target,
  needs: [],
  dependency: "optional",
  switch: { annotation: "enable-metallb", default: "on" },
  forms: [{ apiVersion: target.apiVersion, spec: contentForms.fields({}) }],
  reads: {},
  singleton: true,
  adoption: "whole",
  impact: "pods",
  values: {
    spec: {
      reason: "This object starts MetalLB. Administrators create the address pools.",
      source: "operator default",
    },
  },
  render: () => ({
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: { name: target.name, namespace: target.namespace },
    spec: {},
  }),
});
