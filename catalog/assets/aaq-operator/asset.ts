// Enables application-aware quotas in the HyperConverged, whose operator then manages the AAQ object.

import { contentForms } from "@virt/api";
import { hco } from "@virt/cluster";
import { defineAsset } from "@virt/platform";
import { hcoForms } from "../../profiles/hyperconverged.ts";
import { hcoPart, renderHco } from "../hyperconverged.ts";

const { fields, kept, oneOf, optional } = contentForms;

export default defineAsset({
  ...hcoPart,
  name: "aaq-operator",
  feature: { name: "aaq", description: "VM-aware quotas", maturity: "DP" },
  tier: "advanced",
  phase: 2,
  switch: { annotation: "enable-aaq", default: "off" },
  forms: hcoForms({
    v1beta1: fields({ enableApplicationAwareQuota: optional(oneOf(true)) }),
    v1: fields({
      deployment: kept(fields({ applicationAwareConfig: optional(fields({ enable: optional(oneOf(true)) })) })),
    }),
  }),
  reads: { hco: hco() },
  values: {
    enable: {
      reason: "Application-aware quotas count VMs, not only their pods. The HyperConverged operator installs it.",
      source: "operator default",
    },
    enableApplicationAwareQuota: {
      reason: "The same field in version v1beta1.",
      source: "operator default",
    },
  },
  render: (facts) =>
    renderHco(facts.hco, {
      v1beta1: { enableApplicationAwareQuota: true },
      v1: { deployment: { applicationAwareConfig: { enable: true } } },
    }),
});
