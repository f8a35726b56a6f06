// What load-aware rebalancing does where the user says nothing.

export const defaults = {
  deschedulingIntervalSeconds: 60,
  mode: "Automatic",
  enablePSIMetrics: true,
  devDeviationThresholds: "AsymmetricLow",
} as const;
