// The feature gates of HyperConverged v1beta1, which are a fixed set there.

/** Known to 1.15 and 1.17. */
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

/** Not known to 1.15. */
export const newGates = [
  "decentralizedLiveMigration",
  "declarativeHotplugVolumes",
  "enableMultiArchBootImageImport",
  "objectGraph",
  "videoConfig",
];
