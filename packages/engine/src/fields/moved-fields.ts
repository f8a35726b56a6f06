// Where two versions of a kind keep the same thing. Who set a field in the one is known in the other.

import type { KubeObject } from "../cluster.ts";
import { type FieldSet, fieldSet, isNoFields, pathsOf } from "./field-set.ts";
import { fieldElement, type Path, type Pointer, valueAt } from "./path.ts";

/** What is at and below `from` is at and below `to`; undefined: it has another form there, and no part of it a place. */
export type FieldMove = { readonly from: Pointer; readonly to: Pointer | undefined };

type VersionedKind = Pick<KubeObject, "apiVersion" | "kind">;

/** Below `spec`, in v1beta1 and in v1; what is in another comes before it. */
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

/** To the version of the object, from the one that is named, or from any other. None: nothing is known. */
export function movesTo({ apiVersion, kind }: VersionedKind, from?: string): readonly FieldMove[] {
  const one = known.find((each) => each.kind === kind && each.to === apiVersion && each.from === (from ?? each.from));
  return one?.moves ?? [];
}

/** Fields of another version as the object's has them, and those that must be somewhere, but nobody knows where. */
export type PlacedFields = { readonly fields: FieldSet; readonly unplaced?: FieldSet };

export function placeFields(fields: FieldSet, object: KubeObject, moves: readonly FieldMove[]): PlacedFields {
  const paths = pathsOf(fields).map((path) => ({ path, place: placeOf(path, object, moves) }));
  const unplaced = fieldSet(paths.flatMap(({ path, place }) => (place === "unknown" ? [path] : [])));
  const placed = fieldSet(paths.flatMap(({ place }) => (typeof place === "string" ? [] : [place])));
  return { fields: placed, ...(!isNoFields(unplaced) && { unplaced }) };
}

/** Metadata is the same in all versions. What has not moved is there still, else it is elsewhere; a map whose content moved is gone. */
function placeOf(path: Path, object: KubeObject, moves: readonly FieldMove[]): Path | "unknown" | "nowhere" {
  const move = moves.find(({ from }) => startsWith(path, from));
  if (move !== undefined)
    return move.to === undefined ? "unknown" : [...move.to.map(fieldElement), ...path.slice(move.from.length)];
  if (path[0] === "f:metadata" || valueAt(object, path) !== undefined) return path;
  return moves.some(({ from }) => startsWith(from.map(fieldElement), path.map(nameOf))) ? "nowhere" : "unknown";
}

/** Whether it is known where the field comes from: then it is nothing else. */
export function isPlaceKnown(path: Path, moves: readonly FieldMove[]): boolean {
  return moves.some(({ to }) => to !== undefined && startsWith(path, to));
}

/** A dotted field of another version, as this one has it; what has no place stays as it is, and means nothing. */
export function movedField(field: string, moves: readonly FieldMove[]): string {
  const names = field.split(".");
  const move = moves.find(({ from }) => startsWith(names.map(fieldElement), from));
  return move?.to === undefined ? field : [...move.to, ...names.slice(move.from.length)].join(".");
}

function startsWith(path: Path, names: Pointer): boolean {
  return names.length <= path.length && names.every((name, at) => path[at] === fieldElement(name));
}

function nameOf(element: string): string {
  return element.slice(2); // rows are of members only, so an element of a list is like none of them
}
