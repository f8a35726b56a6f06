// Translates field ownership between two API versions.

import type { KubeObject } from "@virt/api";
import { type FieldSet, fieldSet, isNoFields, pathsOf } from "./field-set.ts";
import { fieldElement, type Path, type Pointer, valueAt } from "./path.ts";

/** Everything at and below `from` moves to `to`. Undefined: no part can be mapped to the other version. */
export type FieldMove = { readonly from: Pointer; readonly to: Pointer | undefined };

type VersionedKind = Pick<KubeObject, "apiVersion" | "kind">;

/** Paths below `spec` in v1beta1 and v1. Nested fields come before their parents. */
const hyperConverged: readonly (readonly [Pointer, Pointer])[] = [
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

// A map in v1beta1, an atomic list in v1.
const gates: FieldMove = { from: ["spec", "featureGates"], to: undefined };
const below = (from: Pointer, to: Pointer): FieldMove => ({ from: ["spec", ...from], to: ["spec", ...to] });
const [old, fresh] = ["hco.kubevirt.io/v1beta1", "hco.kubevirt.io/v1"];
const kind = "HyperConverged";
const known = [
  { kind, from: old, to: fresh, moves: [gates, ...hyperConverged.map(([before, now]) => below(before, now))] },
  { kind, from: fresh, to: old, moves: [gates, ...hyperConverged.map(([before, now]) => below(now, before))] },
];

/** Returns the moves to the object's version, from the given version or any. */
export function movesTo({ apiVersion, kind }: VersionedKind, from?: string): readonly FieldMove[] {
  const one = known.find((each) => each.kind === kind && each.to === apiVersion && each.from === (from ?? each.from));
  return one?.moves ?? [];
}

/** `unplaced` fields have no known place in the object's version. */
export type PlacedFields = { readonly fields: FieldSet; readonly unplaced?: FieldSet };

export function placeFields(fields: FieldSet, object: KubeObject, moves: readonly FieldMove[]): PlacedFields {
  const paths = pathsOf(fields).map((path) => ({ path, place: placeOf(path, object, moves) }));
  const unplaced = fieldSet(paths.flatMap(({ path, place }) => (place === "unknown" ? [path] : [])));
  const placed = fieldSet(paths.flatMap(({ place }) => (typeof place === "string" ? [] : [place])));
  return { fields: placed, ...(!isNoFields(unplaced) && { unplaced }) };
}

/**
 * Returns where a field is in this version. Metadata is the same in all versions. A field with a value is in place. A
 * map whose content moved is gone. All others have moved.
 */
function placeOf(path: Path, object: KubeObject, moves: readonly FieldMove[]): Path | "unknown" | "nowhere" {
  const move = moves.find(({ from }) => startsWith(path, from));
  if (move !== undefined)
    return move.to === undefined ? "unknown" : [...move.to.map(fieldElement), ...path.slice(move.from.length)];
  if (path[0] === "f:metadata" || valueAt(object, path) !== undefined) return path;
  return moves.some(({ from }) => startsWith(from.map(fieldElement), path.map(nameOf))) ? "nowhere" : "unknown";
}

/** Reports whether the field is known to come from another place. */
export function isPlaceKnown(path: Path, moves: readonly FieldMove[]): boolean {
  return moves.some(({ to }) => to !== undefined && startsWith(path, to));
}

/** Returns the dotted field in the other version. A field without a place stays unchanged and has no effect. */
export function movedField(field: string, moves: readonly FieldMove[]): string {
  const names = field.split(".");
  const move = moves.find(({ from }) => startsWith(names.map(fieldElement), from));
  return move?.to === undefined ? field : [...move.to, ...names.slice(move.from.length)].join(".");
}

function startsWith(path: Path, names: Pointer): boolean {
  return names.length <= path.length && names.every((name, at) => path[at] === fieldElement(name));
}

function nameOf(element: string): string {
  return element.slice(2); // moves name only members, so a list element matches none of them
}
