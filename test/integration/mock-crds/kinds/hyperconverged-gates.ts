/** In 1.15 and 1.17. */
export const oldGates = [
  "alignCPUs",
  "autoResourceLimits",
  "deployKubeSecondaryDNS",
  "deployKubevirtIpamController",
  "deployTektonTaskResources",
  "deployVmConsoleProxy",
  "disableMDevConfiguration",
  "downwardMetrics",
  "enableApplicationAwareQuota",
  "enableCommonBootImageImport",
  "enableManagedTenantQuota",
  "nonRoot",
  "persistentReservation",
  "primaryUserDefinedNetworkBinding",
  "withHostPassthroughCPU",
];

/** Not in 1.15. */
export const newGates = [
  "decentralizedLiveMigration",
  "declarativeHotplugVolumes",
  "enableMultiArchBootImageImport",
  "objectGraph",
  "videoConfig",
];
