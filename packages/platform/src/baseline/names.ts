// The annotations by which people and the operator speak about one managed object.

import { managedByLabel } from "@virt/api";
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

const labelPath: Path = fieldPath("metadata", "labels", managedByLabel.key);

export function isOwnLabel(path: Path): boolean {
  return isSamePath(path, labelPath);
}

function isSamePath(left: Path, right: Path): boolean {
  return left.length === right.length && left.every((element, at) => element === right[at]);
}

/** Our memory is ours alone: no drift, nothing to release. */
export function isState(path: Path): boolean {
  return isSamePath(path, statePath);
}

/** An object without annotations differs from one with our memory alone. */
export function isStateParent(path: Path): boolean {
  return path.length === 2 && path[0] === statePath[0] && path[1] === statePath[1];
}
