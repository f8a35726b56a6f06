// Pointers into the HyperConverged that were written for its other version, in terms of the one that is served.

import { movesTo, type Pointer } from "@virt/engine";
import type { HcoFact } from "./hco-fact.ts";

/** What is native already, or known to neither, stays as it is. A parent becomes all that was below it. */
export function hcoPointers(pointers: readonly Pointer[], served: HcoFact["apiVersion"]): readonly Pointer[] {
  return pointers.flatMap((pointer) => translate(pointer, served));
}

function translate(pointer: Pointer, served: HcoFact["apiVersion"]): readonly Pointer[] {
  const [root, first] = pointer;
  if (root !== "spec" || first === undefined) return [pointer];
  if (first === "featureGates") return [gatePointer(pointer, served)];
  const moves = movesTo({ kind: "HyperConverged", apiVersion: served });
  const above = moves.find(({ from }) => startsWith(pointer, from));
  const below = moves.filter(({ from }) => startsWith(from, pointer));
  if (above?.to !== undefined && below.length === 0) return [[...above.to, ...pointer.slice(above.from.length)]];
  return below.length > 0 ? below.flatMap(({ to }) => (to === undefined ? [] : [to])) : [pointer];
}

// A map in v1beta1, an atomic list in v1: what points into the one means all of the other.
function gatePointer(pointer: Pointer, served: HcoFact["apiVersion"]): Pointer {
  const [, , gate] = pointer;
  const isOther = served === "hco.kubevirt.io/v1" || (gate !== undefined && /^[0-9]+$|=/.test(gate));
  return isOther ? pointer.slice(0, 2) : pointer;
}

function startsWith(path: Pointer, start: Pointer): boolean {
  return start.length <= path.length && start.every((segment, at) => segment === path[at]);
}
