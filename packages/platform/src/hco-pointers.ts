// Pointers into the HyperConverged that were written for its other version, in terms of the one that is served.

import type { Pointer } from "@virt/engine";
import type { HcoFact } from "./hco-fact.ts";

/** Where the same thing is in v1beta1 and in v1, below `spec`. */
const rows: readonly (readonly [Pointer, Pointer])[] = [
  [["enableApplicationAwareQuota"], ["deployment", "applicationAwareConfig", "enable"]],
  [["applicationAwareConfig"], ["deployment", "applicationAwareConfig"]],
  [["uninstallStrategy"], ["deployment", "uninstallStrategy"]],
  [["certConfig"], ["security", "certConfig"]],
  ...[
    "liveMigrationConfig",
    "ksmConfiguration",
    "permittedHostDevices",
    "workloadUpdateStrategy",
    "evictionStrategy",
    "higherWorkloadDensity",
  ].map((field) => [[field], ["virtualization", field]] as const),
];

/** What is native already, or known to neither, stays as it is. A parent becomes all that was below it. */
export function hcoPointers(pointers: readonly Pointer[], served: HcoFact["apiVersion"]): readonly Pointer[] {
  return pointers.flatMap((pointer) => translate(pointer, served));
}

function translate(pointer: Pointer, served: HcoFact["apiVersion"]): readonly Pointer[] {
  const [root, ...path] = pointer;
  if (root !== "spec" || path.length === 0) return [pointer];
  if (path[0] === "featureGates") return [gatePointer(pointer, served)];
  const others = rows.map(([old, fresh]) =>
    served === "hco.kubevirt.io/v1" ? { from: old, to: fresh } : { from: fresh, to: old },
  );
  const above = others.find(({ from }) => startsWith(path, from));
  const below = others.filter(({ from }) => startsWith(from, path));
  if (above !== undefined && below.length === 0) return [["spec", ...above.to, ...path.slice(above.from.length)]];
  return below.length > 0 ? below.map(({ to }) => ["spec", ...to]) : [pointer];
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
