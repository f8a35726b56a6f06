// The annotations by which people and the operator speak about one managed object.

const prefix = "platform.kubevirt.io/";

export const objectAnnotations = {
  patch: `${prefix}patch`,
  ignoreFields: `${prefix}ignore-fields`,
  mode: `${prefix}mode`,
  adopt: `${prefix}adopt`,
  paused: `${prefix}reconcile-paused`,
  state: `${prefix}state`,
} as const;

/** Holds fields that we released, so that their values stay. */
export const releasedManager = "virt-platform-operator-released";
