// Labels and annotations that the Machine Config Operator reads and writes.

const prefix = "machineconfiguration.openshift.io";

export const currentConfig = `${prefix}/currentConfig`;
export const desiredConfig = `${prefix}/desiredConfig`;
export const nodeState = `${prefix}/state`;
export const nodeReason = `${prefix}/reason`;
export const desiredDrain = `${prefix}/desiredDrain`;
export const lastAppliedDrain = `${prefix}/lastAppliedDrain`;
export const nameSuffix = `${prefix}/mc-name-suffix`;
export const generatedBy = `${prefix}/generated-by-controller-version`;
export const machineConfigApi = `${prefix}/v1`;
