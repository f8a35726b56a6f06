// The annotations by which people and the operator speak about one managed object.

import { fieldPath, type Path } from "@virt/engine";

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

const statePath: Path = fieldPath("metadata", "annotations", objectAnnotations.state);

/** Our memory is ours alone: no drift, nothing to release. */
export function isState(path: Path): boolean {
  return path.length === statePath.length && path.every((element, at) => element === statePath[at]);
}

/** An object without annotations differs from one with our memory alone. */
export function isStateParent(path: Path): boolean {
  return path.length === 2 && path[0] === statePath[0] && path[1] === statePath[1];
}
