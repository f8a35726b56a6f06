// Custom resources of other operators: ForkliftController, MetalLB, UIPlugin and AAQ.

import type { Case, Subject } from "../subject.ts";
import {
  condition,
  conditionFields,
  fullCondition,
  looseConditionFields,
  selector,
  selectorFields,
  selectorPaths,
  time,
} from "./parts.ts";

const features = ["feature_ui_plugin", "feature_validation", "feature_volume_populator"].map((name) => `spec.${name}`);

const forkliftController: Subject = {
  title: "a ForkliftController",
  mock: "forkliftcontrollers.yaml",
  genuine: [{ file: "operators/forklift.konveyor.io_forkliftcontrollers.yaml" }],
  mentioned: { "platform.md 4.6": features },
  sample: {
    apiVersion: "forklift.konveyor.io/v1beta1",
    kind: "ForkliftController",
    metadata: { name: "forklift-controller", namespace: "probes" },
    spec: { feature_ui_plugin: "false", feature_validation: "false", feature_volume_populator: "false" },
    status: { anything: [{ goes: 1 }] },
  },
  fields: [
    { path: "spec", good: [{}] },
    ...features.map((path) => ({ path, good: ["true"], bad: [true, false, "yes", ""] })),
    { path: "status", isOpen: true, good: [{}] },
  ],
};

const metalLb: Subject = {
  title: "a MetalLB",
  mock: "metallbs.yaml",
  genuine: [{ file: "operators/metallb.io_metallbs.yaml" }],
  mentioned: { "platform.md 4.6": ["spec"] },
  sample: {
    apiVersion: "metallb.io/v1beta1",
    kind: "MetalLB",
    metadata: { name: "metallb", namespace: "probes" },
    spec: { logLevel: "info", nodeSelector: { "node-role.kubernetes.io/worker": "" } },
    status: { conditions: [fullCondition] },
  },
  fields: [
    { path: "spec", good: [{}] },
    { path: "spec.logLevel", good: ["all", "debug", "warn", "error", "none"], bad: ["loud", ""] },
    { path: "spec.nodeSelector", isOpen: true, good: [{}] },
    { path: "spec.nodeSelector{}" },
    { path: "status", good: [{}] },
    ...conditionFields("status.conditions", { areUnique: false }),
  ],
};

const parts = ["perses", "clusterHealthAnalyzer", "incidents"].map((name) => `spec.monitoring.${name}`);
const named = (type: string, name: string, expect: "accepted" | "refused") => ({
  reason: `type ${type} with name ${name}`,
  set: { spec: { type }, "metadata.name": name },
  expect,
});

// The other types test the rules that distinguish them.
const panel = (type: string, name: string, options: string): readonly Case[] =>
  ([{}, { timeout: "1m" }, { timeout: "1" }, { timeout: 1 }] as const).map((given) => ({
    reason: `type ${type} with ${JSON.stringify(given)}`,
    set: { spec: { type, [options]: given }, "metadata.name": name },
    expect: "timeout" in given && given.timeout !== "1m" ? "refused" : "accepted",
  }));

const uiPlugin: Subject = {
  title: "a UIPlugin",
  mock: "uiplugins.yaml",
  genuine: [{ file: "operators/observability.openshift.io_uiplugins.yaml" }],
  mentioned: { "platform.md 4.7": ["spec.type", ...parts.map((part) => `${part}.enabled`)] },
  sample: {
    apiVersion: "observability.openshift.io/v1alpha1",
    kind: "UIPlugin",
    metadata: { name: "monitoring" },
    spec: {
      type: "Monitoring",
      monitoring: { perses: { enabled: true }, clusterHealthAnalyzer: { enabled: true }, incidents: { enabled: true } },
    },
    status: { conditions: [fullCondition] },
  },
  fields: [
    { path: "spec", isRequired: true, isRuled: true, bad: [{}] },
    { path: "spec.type", isRequired: true, isRuled: true, bad: ["Logging", "Other", ""] },
    { path: "spec.monitoring", good: [{}] },
    ...parts.flatMap((path) => [
      { path, bad: [{}] },
      { path: `${path}.enabled`, isRequired: true, good: [false] },
    ]),
    { path: "status", bad: [{}] },
    ...conditionFields("status.conditions", { areUnique: false }).map((field) =>
      field.path === "status.conditions" ? { ...field, isRequired: true } : field,
    ),
  ],
  cases: [
    named("Monitoring", "monitoring", "accepted"),
    named("Monitoring", "other", "refused"),
    named("Logging", "logging", "accepted"),
    named("Logging", "other", "refused"),
    named("TroubleshootingPanel", "troubleshooting-panel", "accepted"),
    named("TroubleshootingPanel", "other", "refused"),
    named("DistributedTracing", "distributed-tracing", "accepted"),
    named("DistributedTracing", "other", "refused"),
    {
      reason: "a panel's options with type Monitoring",
      set: { "spec.troubleshootingPanel": { timeout: "1m" } },
      expect: "refused",
    },
    {
      reason: "tracing options with type Monitoring",
      set: { "spec.distributedTracing": { timeout: "1m" } },
      expect: "refused",
    },
    ...panel("TroubleshootingPanel", "troubleshooting-panel", "troubleshootingPanel"),
    ...panel("DistributedTracing", "distributed-tracing", "distributedTracing"),
  ],
};

const aaq: Subject = {
  title: "an AAQ",
  mock: "aaqs.yaml",
  genuine: [{ file: "operators/aaq.kubevirt.io_aaqoperatorconfigs.yaml" }],
  mentioned: {
    "platform.md 4.10": ["spec"],
    simulator: [...selectorPaths("spec.namespaceSelector"), "status.phase", "status.conditions"],
  },
  sample: {
    apiVersion: "aaq.kubevirt.io/v1alpha1",
    kind: "AAQ",
    metadata: { name: "aaq-kubevirt-hyperconverged" },
    spec: {
      imagePullPolicy: "IfNotPresent",
      priorityClass: "a",
      certConfig: { ca: { duration: "48h", renewBefore: "24h" }, server: { duration: "24h", renewBefore: "12h" } },
      configuration: {
        allowApplicationAwareClusterResourceQuota: true,
        vmiCalculatorConfiguration: { configName: "VmiPodUsage" },
      },
      namespaceSelector: selector,
    },
    status: {
      phase: "Deployed",
      operatorVersion: "1",
      targetVersion: "1",
      observedVersion: "1",
      conditions: [{ ...condition, lastHeartbeatTime: time }],
    },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.imagePullPolicy", good: ["Always", "Never"], bad: ["Sometimes", ""] },
    { path: "spec.priorityClass" },
    ...["", ".ca", ".server"].map((part) => ({ path: `spec.certConfig${part}`, good: [{}] })),
    { path: "spec.certConfig.ca.duration" },
    { path: "spec.certConfig.ca.renewBefore" },
    { path: "spec.certConfig.server.duration" },
    { path: "spec.certConfig.server.renewBefore" },
    { path: "spec.configuration", good: [{}] },
    { path: "spec.configuration.allowApplicationAwareClusterResourceQuota" },
    { path: "spec.configuration.vmiCalculatorConfiguration", good: [{}] },
    {
      path: "spec.configuration.vmiCalculatorConfiguration.configName",
      good: ["VirtualResources", "DedicatedVirtualResources", "IgnoreVmiCalculator", "GuestEffectiveResources"],
      bad: ["Other", ""],
    },
    ...selectorFields("spec.namespaceSelector"),
    { path: "status", good: [{}] },
    { path: "status.phase", good: ["anything"] },
    ...["operatorVersion", "targetVersion", "observedVersion"].map((key) => ({ path: `status.${key}` })),
    ...looseConditionFields("status.conditions", true),
    { path: "status.conditions[].lastHeartbeatTime", bad: ["yesterday"] },
  ],
};

export const operators: readonly Subject[] = [forkliftController, metalLb, uiPlugin, aaq];
