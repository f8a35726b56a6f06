// Limits how long a live migration may pause a VM, by a MigrationPolicy for all VMs. Alpha in KubeVirt.

import { contentForms, type JsonMap, type KubeObject } from "@virt/api";
import { object, schema } from "@virt/cluster";
import { asList, at } from "@virt/objects";
import { defineAsset, nothing, unmet } from "@virt/platform";

const target = {
  apiVersion: "migrations.kubevirt.io/v1alpha1",
  kind: "MigrationPolicy",
  name: "stun-time",
  crd: "migrationpolicies.migrations.kubevirt.io",
  operator: "HyperConverged Cluster Operator",
} as const;

const kubeVirt = {
  apiVersion: "kubevirt.io/v1",
  kind: "KubeVirt",
  name: "kubevirt-kubevirt-hyperconverged",
  namespace: "$hco",
} as const;

const gate = "MigrationDowntimeTuning";

// An empty map enables KubeVirt's defaults.
const spec = { selectors: {}, maxDowntimeMs: 1050, experimental: { downtimeTuning: {} } };

const { fields, oneOf, required } = contentForms;

export default defineAsset({
  name: "stun-time",
  feature: { name: "stun-time", description: "Live migrations that pause a VM for at most a second", maturity: "DP" },
  tier: "advanced",
  phase: 2,
  order: 32,
  target,
  needs: [],
  dependency: "optional",
  switch: { annotation: "enable-stun-time", default: "off" },
  forms: [
    {
      apiVersion: target.apiVersion,
      spec: fields({
        selectors: required(oneOf(spec.selectors)),
        maxDowntimeMs: required(oneOf(spec.maxDowntimeMs)),
        experimental: required(fields({ downtimeTuning: required(oneOf(spec.experimental.downtimeTuning)) })),
      }),
    },
  ],
  reads: { kubeVirt: object(kubeVirt), policies: schema(target.crd, "v1alpha1") },
  adoption: "whole",
  impact: "none",
  values: {
    selectors: {
      reason: "All VMs. A policy with more matching labels takes precedence.",
      source: "KubeVirt: migration policies",
    },
    maxDowntimeMs: {
      reason: "The longest pause at the end of a migration, in milliseconds.",
      source: "virt-platform-autopilot",
    },
    downtimeTuning: {
      reason: "KubeVirt starts with a short pause and allows a longer one after each round, up to the limit.",
      source: "KubeVirt feature gate MigrationDowntimeTuning",
    },
  },
  render: ({ kubeVirt: installed, policies }) => {
    // The limit alone would make migrations of busy VMs fail, and the selectors alone would do nothing.
    if (!knowsTuning(policies)) return nothing("MigrationPolicy of this KubeVirt release has no downtimeTuning");
    if (!isGateOpen(installed)) return unmet(`KubeVirt feature gate ${gate} enabled`, "not enabled");
    return { apiVersion: target.apiVersion, kind: target.kind, metadata: { name: target.name }, spec };
  },
});

function knowsTuning(policies: JsonMap | undefined): boolean {
  const fieldAt = (...path: readonly string[]) =>
    at(policies, ...["spec", ...path].flatMap((name) => ["properties", name]));
  return fieldAt("maxDowntimeMs") !== undefined && fieldAt("experimental", "downtimeTuning") !== undefined;
}

/** KubeVirt rejects the policy without the gate. The HyperConverged's own gates do not include it. */
function isGateOpen(installed: KubeObject | undefined): boolean {
  const developer = at(installed, "spec", "configuration", "developerConfiguration");
  const [enabled, disabled] = [at(developer, "featureGates"), at(developer, "disabledFeatureGates")];
  return asList(enabled).includes(gate) && !asList(disabled).includes(gate);
}
