// HyperConverged in both versions: v1beta1 with a flat spec, v1 with groups.

import type { Field, Subject } from "../subject.ts";
import { newGates, oldGates } from "./hyperconverged-gates.ts";
import { virtualization, virtualizationFields } from "./hyperconverged-virtualization.ts";
import {
  conditionFields,
  fullCondition,
  reference,
  referenceFields,
  selector,
  selectorFields,
  selectorPaths,
} from "./parts.ts";

type Places = { readonly virtualization: string; readonly deployment: string; readonly security: string };

const flat: Places = { virtualization: "spec", deployment: "spec", security: "spec" };
const grouped: Places = {
  virtualization: "spec.virtualization",
  deployment: "spec.deployment",
  security: "spec.security",
};

const quota = {
  allowApplicationAwareClusterResourceQuota: true,
  vmiCalcConfigName: "VirtualResources",
  namespaceSelector: selector,
};
const certConfig = {
  ca: { duration: "49h0m0s", renewBefore: "25h0m0s" },
  server: { duration: "25h0m0s", renewBefore: "13h0m0s" },
};

const status = {
  observedGeneration: 1,
  systemHealthStatus: "healthy",
  infrastructureHighlyAvailable: true,
  conditions: [fullCondition],
  versions: [{ name: "operator", version: "1" }],
  relatedObjects: [reference],
};

function otherFields({ deployment, security }: Places): readonly Field[] {
  const calculators = ["VmiPodUsage", "DedicatedVirtualResources", "IgnoreVmiCalculator", "GuestEffectiveResources"];
  return [
    { path: `${deployment}.uninstallStrategy`, good: ["RemoveWorkloads"], bad: ["Keep", ""] },
    { path: `${deployment}.applicationAwareConfig`, good: [{}] },
    { path: `${deployment}.applicationAwareConfig.allowApplicationAwareClusterResourceQuota` },
    { path: `${deployment}.applicationAwareConfig.vmiCalcConfigName`, good: calculators, bad: ["Other", ""] },
    ...selectorFields(`${deployment}.applicationAwareConfig.namespaceSelector`),
    { path: `${security}.certConfig`, good: [{}] },
    ...["ca", "server"].flatMap((side) => [
      { path: `${security}.certConfig.${side}`, good: [{}] },
      { path: `${security}.certConfig.${side}.duration`, good: ["anything"] },
      { path: `${security}.certConfig.${side}.renewBefore` },
    ]),
    { path: "status", good: [{}] },
    { path: "status.observedGeneration", good: [0, -1] },
    { path: "status.systemHealthStatus", good: ["anything"] },
    { path: "status.infrastructureHighlyAvailable" },
    ...conditionFields("status.conditions", { areUnique: false }),
    { path: "status.versions", good: [[]] },
    { path: "status.versions[].name" },
    { path: "status.versions[].version" },
    { path: "status.relatedObjects", good: [[]] },
    ...referenceFields("status.relatedObjects[]"),
  ];
}

function mentionedIn({ virtualization, deployment, security }: Places): Subject["mentioned"] {
  return {
    "advisor.md 7, 8": [
      `${virtualization}.higherWorkloadDensity.memoryOvercommitPercentage`,
      `${virtualization}.ksmConfiguration`,
      ...selectorPaths(`${virtualization}.ksmConfiguration.nodeLabelSelector`),
      `${virtualization}.liveMigrationConfig.parallelMigrationsPerCluster`,
      `${virtualization}.liveMigrationConfig.parallelOutboundMigrationsPerNode`,
    ],
    "platform.md 3.3": [
      "spec.featureGates",
      `${deployment}.applicationAwareConfig`,
      `${security}.certConfig`,
      `${virtualization}.workloadUpdateStrategy`,
      `${virtualization}.evictionStrategy`,
    ],
    "platform.md 4.1": [
      ...["allowAutoConverge", "allowPostCopy", "completionTimeoutPerGiB"].map(
        (key) => `${virtualization}.liveMigrationConfig.${key}`,
      ),
      `${deployment}.uninstallStrategy`,
    ],
    "platform.md 4.9": [
      ...["pciDeviceSelector", "resourceName", "externalResourceProvider"].map(
        (key) => `${virtualization}.permittedHostDevices.pciHostDevices[].${key}`,
      ),
      ...["resourceName", "selectors", "selectors[].vendor", "selectors[].product", "externalResourceProvider"].map(
        (key) => `${virtualization}.permittedHostDevices.usbHostDevices[].${key}`,
      ),
    ],
    simulator: [
      "status.observedGeneration",
      "status.conditions",
      "status.systemHealthStatus",
      "status.versions",
      "status.relatedObjects",
    ],
  };
}

const names = [
  { reason: "another name", set: { "metadata.name": "hco" }, expect: "refused" },
  {
    reason: "a longer name, as the pattern has no anchors",
    set: { "metadata.name": "my-kubevirt-hyperconverged-2" },
    expect: "accepted",
  },
  { reason: "no spec", drop: ["spec"], expect: "accepted" },
  { reason: "an empty spec", set: { spec: {} }, expect: "accepted" },
] as const;

const metadata = {
  name: "kubevirt-hyperconverged",
  namespace: "probes",
  annotations: { "platform.kubevirt.io/virt-platform-operator": "true" },
};
const gates = [...oldGates, ...newGates];

const beta: Subject = {
  title: "a HyperConverged v1beta1 of 1.17",
  mock: "hyperconvergeds-v1beta1.yaml",
  genuine: [
    { file: "hco/hyperconvergeds-1.17.yaml" },
    {
      file: "hco/hyperconvergeds-1.15.yaml",
      except: [...newGates.map((gate) => `spec.featureGates.${gate}`), "spec.applicationAwareConfig.vmiCalcConfigName"],
    },
  ],
  mentioned: {
    ...mentionedIn(flat),
    "platform.md 4.1, v1beta1": ["spec.featureGates.downwardMetrics", "spec.featureGates.alignCPUs"],
    "platform.md 4.10": ["spec.enableApplicationAwareQuota"],
    "workflow-guide.md, appendix": [
      "spec.featureGates.enableMultiArchBootImageImport",
      "spec.featureGates.persistentReservation",
      "spec.infra",
    ],
  },
  sample: {
    apiVersion: "hco.kubevirt.io/v1beta1",
    kind: "HyperConverged",
    metadata,
    spec: {
      ...virtualization,
      applicationAwareConfig: quota,
      certConfig,
      enableApplicationAwareQuota: true,
      featureGates: Object.fromEntries(gates.map((gate) => [gate, true])),
      infra: { nodePlacement: { nodeSelector: { a: "b" } } },
      workloads: { nodePlacement: { nodeSelector: { a: "b" } } },
      uninstallStrategy: "RemoveWorkloads",
    },
    status,
  },
  fields: [
    ...virtualizationFields("spec"),
    ...otherFields(flat),
    { path: "spec.enableApplicationAwareQuota", good: [false] },
    { path: "spec.featureGates", good: [{}], bad: [["downwardMetrics"]] },
    ...gates.map((gate) => ({ path: `spec.featureGates.${gate}`, good: [false] })),
    ...["spec.infra", "spec.workloads"].flatMap((path) => [
      { path, good: [{}] },
      { path: `${path}.nodePlacement`, good: [{}] },
      { path: `${path}.nodePlacement.nodeSelector`, isOpen: true, good: [{}] },
      { path: `${path}.nodePlacement.nodeSelector{}` },
    ]),
  ],
  unknown: { "spec.virtualization": {}, "spec.deployment": {}, "spec.featureGates.CPUManager": true },
  cases: names,
};

const gate = { name: "downwardMetrics", state: "Enabled" };
const sixtyFive = Array.from({ length: 65 }, (_, index) => ({ name: `gate${index}` }));

const stable: Subject = {
  title: "a HyperConverged v1 of 1.20",
  mock: "hyperconvergeds-v1.yaml",
  genuine: [{ file: "hco/hyperconvergeds-1.20.yaml" }],
  mentioned: {
    ...mentionedIn(grouped),
    "platform.md 3.3, v1": ["spec.featureGates[].name", "spec.featureGates[].state"],
    "platform.md 4.10": ["spec.deployment.applicationAwareConfig.enable"],
  },
  sample: {
    apiVersion: "hco.kubevirt.io/v1",
    kind: "HyperConverged",
    metadata,
    spec: {
      deployment: { applicationAwareConfig: { ...quota, enable: true }, uninstallStrategy: "RemoveWorkloads" },
      featureGates: [gate, { name: "alignCPUs" }],
      security: { certConfig },
      virtualization,
    },
    status,
  },
  fields: [
    ...virtualizationFields("spec.virtualization"),
    ...otherFields(grouped),
    ...Object.values(grouped).map((path) => ({ path, good: [{}] })),
    { path: "spec.deployment.applicationAwareConfig.enable", good: [false] },
    {
      path: "spec.featureGates",
      isRuled: true,
      good: [[], sixtyFive.slice(1)],
      bad: [
        { downwardMetrics: true },
        ["downwardMetrics"],
        [gate, gate],
        [gate, { name: "DOWNWARDMETRICS" }],
        sixtyFive,
      ],
    },
    {
      path: "spec.featureGates[].name",
      isRequired: true,
      isRuled: true,
      good: ["anything"],
      bad: ["a".repeat(257)],
    },
    { path: "spec.featureGates[].state", good: ["Disabled"], bad: ["enabled", ""] },
  ],
  unknown: { "spec.liveMigrationConfig": {}, "spec.ksmConfiguration": {}, "spec.enableApplicationAwareQuota": true },
  cases: names,
};

export const hyperConvergeds: readonly Subject[] = [beta, stable];
