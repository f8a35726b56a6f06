import { fieldManagers, isAdvisorManager, type Json, type JsonMap, type KubeObject } from "@virt/api";
import {
  asList,
  asText,
  at,
  canonicalJson,
  type EditWarRecord,
  entriesOf,
  type FieldMove,
  isMap,
  member,
  movesTo,
  oncePer,
  ownersOf,
  type Path,
  parseJson,
  platformRule,
  readOwners,
  readTime,
  utf8Length,
  writePointer,
  writeTime,
} from "@virt/objects";
import { objectAnnotations, releasedManager, statePath } from "../hco-annotations.ts";
import type { ObjectMemory } from "./observe-object.ts";

export type PauseRecord = { readonly field: string; readonly by: string; readonly count: number; readonly at: string };

/** A write caused by a changed input. `at` is in milliseconds, `decisions` is a digest. */
export type InputWrite = { readonly at: number; readonly decisions: string; readonly version: string };

/** The state that the operator stores on an object. Validated when read, because it may be lost or forged. */
export type ObjectState = {
  readonly created: boolean;
  /** The pointers of the last apply, by asset. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** The ignore-fields pointers in effect. */
  readonly released: readonly string[];
  /** A digest of the last reported patch. */
  readonly patch: string | undefined;
  readonly fights: EditWarRecord;
  readonly paused: PauseRecord | undefined;
  readonly recreated: readonly number[];
  readonly inputWrite: InputWrite | undefined;
};

const noState: ObjectState = {
  created: false,
  fields: {},
  released: [],
  patch: undefined,
  fights: {},
  paused: undefined,
  recreated: [],
  inputWrite: undefined,
};

/** Reads the state. Invalid parts count as empty, which is safe. */
export function readState(live: KubeObject | undefined): ObjectState {
  return live === undefined ? noState : stateOn(live);
}

const stateOn = oncePer((live: KubeObject): ObjectState => movedState(stateIn(live), live));

function stateIn(live: KubeObject): ObjectState {
  const text = live.metadata.annotations?.[objectAnnotations.state];
  const value = text === undefined || utf8Length(text) > mostBytes ? undefined : parseJson(text);
  if (!isMap(value) || member(value, "v") !== 1) return noState;
  return {
    created: member(value, "created") === true && !isOwnedByOthers(live, statePath),
    fields: mapOf(member(value, "fields"), texts),
    released: texts(member(value, "released")),
    patch: asText(member(value, "patch")),
    fights: mapOf(member(value, "fights"), times),
    paused: pausedOf(member(value, "paused")),
    recreated: times(member(value, "recreated")),
    inputWrite: inputWriteOf(member(value, "inputWrite")),
  };
}

const ownManagers: readonly string[] = [fieldManagers.platform, releasedManager];

/** Reports whether another client owns the field or a part of it. */
export function isOwnedByOthers(live: KubeObject, path: Path): boolean {
  const isOwn = (manager: string) => ownManagers.includes(manager) || isAdvisorManager(manager);
  return ownersOf(readOwners(live), path).some(
    ({ manager, subresource }) => subresource === undefined && !isOwn(manager),
  );
}

const mostBytes = 16_384;

/** Serializes the state. If it exceeds 16 KiB, drops the oldest entries about edit wars. */
export function writeState(state: ObjectState): string {
  const text = canonicalJson(plain(state));
  if (utf8Length(text) <= mostBytes) return text;
  const oldest = Object.entries(state.fights).toSorted(([, left], [, right]) => lastOf(left) - lastOf(right))[0]?.[0];
  if (oldest === undefined) return canonicalJson(plain({ ...state, fields: {}, released: [] }));
  const { [oldest]: _gone, ...fights } = state.fights;
  return writeState({ ...state, fights });
}

function plain({ created, fields, released, patch, fights, paused, recreated, inputWrite }: ObjectState): JsonMap {
  const written = (ms: readonly number[]) => ms.map(writeTime);
  return {
    v: 1,
    ...(created && { created }),
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(released.length > 0 && { released }),
    ...(patch !== undefined && { patch }),
    ...(Object.keys(fights).length > 0 && {
      fights: Object.fromEntries(Object.entries(fights).map(([key, ms]) => [key, written(ms)])),
    }),
    ...(paused && { paused }),
    ...(recreated.length > 0 && { recreated: written(recreated) }),
    ...(inputWrite && { inputWrite: { ...inputWrite, at: writeTime(inputWrite.at) } }),
  };
}

export function storeState(object: KubeObject, state: ObjectState): KubeObject {
  const annotations = { ...object.metadata.annotations, [objectAnnotations.state]: writeState(state) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function lastOf(times: readonly number[]): number {
  return times.at(-1) ?? 0;
}

function mapOf<T>(value: Json | undefined, read: (inner: Json | undefined) => T): Readonly<Record<string, T>> {
  return isMap(value) ? Object.fromEntries(entriesOf(value).map(([key, inner]) => [key, read(inner)])) : {};
}

function texts(value: Json | undefined): readonly string[] {
  return asList(value).flatMap((one) => asText(one) ?? []);
}

function times(value: Json | undefined): readonly number[] {
  return texts(value)
    .flatMap((text) => readTime(text) ?? [])
    .toSorted((left, right) => left - right);
}

function pausedOf(value: Json | undefined): PauseRecord | undefined {
  const [field, by, when] = ["field", "by", "at"].map((key) => asText(member(value, key)));
  const count = at(value, "count");
  if (field === undefined || by === undefined || when === undefined || typeof count !== "number") return undefined;
  return { field, by, count, at: when };
}

function inputWriteOf(value: Json | undefined): InputWrite | undefined {
  const [time, decisions, version] = ["at", "decisions", "version"].map((key) => asText(member(value, key)));
  const ms = readTime(time ?? "");
  return ms === undefined || decisions === undefined || version === undefined
    ? undefined
    : { at: ms, decisions, version };
}

/** Translates pointers to the object's API version. Pointers without an equivalent are kept, but match nothing. */
function movedState(state: ObjectState, live: KubeObject): ObjectState {
  const moves = movesTo(live);
  if (moves.length === 0) return state;
  const fields = Object.entries(state.fields).map(
    ([asset, pointers]) => [asset, pointers.map((pointer) => movedText(pointer, moves))] as const,
  );
  return { ...state, fields: Object.fromEntries(fields), fights: movedFights(state.fights, moves) };
}

function movedFights(fights: EditWarRecord, moves: readonly FieldMove[]): EditWarRecord {
  const shortestFirst = Object.entries(fights).toSorted(([, left], [, right]) => left.length - right.length);
  return Object.fromEntries(shortestFirst.map(([key, times]) => [movedText(key, moves), times]));
}

/** Translates a pointer, or an edit war key: a pointer with a suffix after `|`. Pointers in moves need no escaping. */
function movedText(text: string, moves: readonly FieldMove[]): string {
  for (const { from, to } of moves) {
    const start = writePointer(from);
    const rest = text.startsWith(start) ? text.slice(start.length) : undefined;
    if (to !== undefined && rest !== undefined && /^($|[/|])/.test(rest)) return `${writePointer(to)}${rest}`;
  }
  return text;
}

/** Returns the re-creations within the edit war window. */
export function recreations({ recreated = [] }: ObjectMemory, now: number): readonly number[] {
  return recreated.filter((time) => now - time < platformRule.windowMs);
}

/** Returns the delay before the next re-creation, in milliseconds. Undefined below the limit. */
export function restAfter(recreated: readonly number[], now: number): number | undefined {
  const first = recreated.at(-platformRule.limit);
  // If the clock was set back, the delay still does not exceed the window.
  return first === undefined ? undefined : Math.min(platformRule.windowMs, first + platformRule.windowMs - now);
}

/**
 * Records that the object exists. The count of re-creations survives restarts in the annotation, and in memory if the
 * annotation is removed. If the process starts while the object is absent, the count starts at zero.
 */
export function noteThere(memory: ObjectMemory, live: KubeObject): ObjectMemory {
  const recreated = new Set([...(memory.recreated ?? []), ...readState(live).recreated]);
  return { ...memory, wasThere: true, recreated: [...recreated].toSorted((left, right) => left - right) };
}
