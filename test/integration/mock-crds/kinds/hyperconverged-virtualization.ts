// Fields of the HyperConverged in spec.virtualization (v1) or directly in spec (v1beta1).

import type { Field } from "../subject.ts";
import { selector, selectorFields } from "./parts.ts";

const migration = {
  parallelMigrationsPerCluster: 7,
  parallelOutboundMigrationsPerNode: 3,
  allowAutoConverge: true,
  allowPostCopy: true,
  completionTimeoutPerGiB: 100,
  progressTimeout: 100,
  bandwidthPerMigration: "64Mi",
  network: "a",
};

const devices = {
  pciHostDevices: [
    { pciDeviceSelector: "10DE:1EB8", resourceName: "nvidia.com/T4", externalResourceProvider: true, disabled: false },
    { pciDeviceSelector: "10DE:1EB9", resourceName: "nvidia.com/T4" },
  ],
  usbHostDevices: [
    {
      resourceName: "kubevirt.io/storage",
      selectors: [{ vendor: "46f4", product: "0001" }],
      externalResourceProvider: true,
      disabled: false,
    },
  ],
  mediatedDevices: [{ mdevNameSelector: "a", resourceName: "b", externalResourceProvider: true, disabled: false }],
};

export const virtualization = {
  evictionStrategy: "LiveMigrate",
  higherWorkloadDensity: { memoryOvercommitPercentage: 150 },
  ksmConfiguration: { nodeLabelSelector: selector },
  liveMigrationConfig: migration,
  permittedHostDevices: devices,
  workloadUpdateStrategy: {
    batchEvictionInterval: "2m0s",
    batchEvictionSize: 5,
    workloadUpdateMethods: ["LiveMigrate", "Evict"],
  },
};

function migrationFields(path: string): readonly Field[] {
  return [
    { path, good: [{}, { parallelMigrationsPerCluster: 5, allowAutoConverge: false, allowPostCopy: false }] },
    ...["parallelMigrationsPerCluster", "parallelOutboundMigrationsPerNode"].map((key) => ({
      path: `${path}.${key}`,
      good: [0, -1, 1000],
    })),
    ...["allowAutoConverge", "allowPostCopy"].map((key) => ({ path: `${path}.${key}`, good: [false] })),
    ...["completionTimeoutPerGiB", "progressTimeout", "network"].map((key) => ({ path: `${path}.${key}` })),
    { path: `${path}.bandwidthPerMigration`, good: ["0", "1.5Gi"], bad: ["fast", ""] },
  ];
}

function deviceFields(path: string): readonly Field[] {
  const [pci] = devices.pciHostDevices;
  const [usb] = devices.usbHostDevices;
  const [mediated] = devices.mediatedDevices;
  const common = (list: string) =>
    ["externalResourceProvider", "disabled"].map((key) => ({ path: `${list}[].${key}` }));
  return [
    { path, good: [{}] },
    { path: `${path}.pciHostDevices`, good: [[]], bad: [[pci, pci]] },
    { path: `${path}.pciHostDevices[].pciDeviceSelector`, isRequired: true, good: ["anything"] },
    { path: `${path}.pciHostDevices[].resourceName`, isRequired: true, good: ["anything"] },
    ...common(`${path}.pciHostDevices`),
    { path: `${path}.usbHostDevices`, good: [[]], bad: [[usb, usb]] },
    { path: `${path}.usbHostDevices[].resourceName`, isRequired: true },
    { path: `${path}.usbHostDevices[].selectors`, good: [[]] },
    { path: `${path}.usbHostDevices[].selectors[].vendor`, isRequired: true, good: ["anything"] },
    { path: `${path}.usbHostDevices[].selectors[].product`, isRequired: true },
    ...common(`${path}.usbHostDevices`),
    { path: `${path}.mediatedDevices`, bad: [[mediated, mediated]] },
    { path: `${path}.mediatedDevices[].mdevNameSelector`, isRequired: true },
    { path: `${path}.mediatedDevices[].resourceName`, isRequired: true },
    ...common(`${path}.mediatedDevices`),
  ];
}

export function virtualizationFields(path: string): readonly Field[] {
  const update = `${path}.workloadUpdateStrategy`;
  return [
    { path: `${path}.evictionStrategy`, good: ["None", "LiveMigrateIfPossible", "External"], bad: ["Stop", ""] },
    { path: `${path}.higherWorkloadDensity`, good: [{}] },
    { path: `${path}.higherWorkloadDensity.memoryOvercommitPercentage`, good: [10, 100, 300, 1000], bad: [9, 0, -1] },
    { path: `${path}.ksmConfiguration`, good: [{}, { nodeLabelSelector: {} }] },
    ...selectorFields(`${path}.ksmConfiguration.nodeLabelSelector`),
    ...migrationFields(`${path}.liveMigrationConfig`),
    ...deviceFields(`${path}.permittedHostDevices`),
    { path: update, good: [{}, { workloadUpdateMethods: [] }] },
    { path: `${update}.batchEvictionInterval` },
    { path: `${update}.batchEvictionSize` },
    { path: `${update}.workloadUpdateMethods`, good: [[]] },
    { path: `${update}.workloadUpdateMethods[]`, good: ["Anything"] },
  ];
}
