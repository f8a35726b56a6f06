// The memory that rides on a managed object: what we applied, released, corrected, and why we paused.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import {
  asList,
  asText,
  at,
  canonicalJson,
  entriesOf,
  type Fights,
  isMap,
  member,
  oncePer,
  parseJson,
  readTime,
  utf8Length,
  writeTime,
} from "@virt/engine";
import { movedState } from "./moved-state.ts";
import { objectAnnotations } from "./names.ts";

export type Paused = { readonly field: string; readonly by: string; readonly count: number; readonly at: string };

export type State = {
  readonly created: boolean;
  /** By asset: the paths of its last apply, as pointers. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** The pointers of ignore-fields that are honoured. */
  readonly released: readonly string[];
  /** A digest of the patch that was reported. */
  readonly patch: string | undefined;
  readonly fights: Fights;
  readonly paused: Paused | undefined;
  /** Times, in milliseconds, at which somebody's deletion was undone. */
  readonly recreated: readonly number[];
};

const noState: State = {
  created: false,
  fields: {},
  released: [],
  patch: undefined,
  fights: {},
  paused: undefined,
  recreated: [],
};

/** What cannot be read is empty, which errs on the careful side. */
export function readState(live: KubeObject | undefined): State {
  return live === undefined ? noState : stateOn(live);
}

const stateOn = oncePer((live: KubeObject): State => movedState(stateIn(live), live));

function stateIn({ metadata }: KubeObject): State {
  const text = metadata.annotations?.[objectAnnotations.state];
  const value = text === undefined || utf8Length(text) > mostBytes ? undefined : parseJson(text);
  if (!isMap(value) || member(value, "v") !== 1) return noState;
  return {
    created: member(value, "created") === true,
    fields: mapOf(member(value, "fields"), texts),
    released: texts(member(value, "released")),
    patch: asText(member(value, "patch")),
    fights: mapOf(member(value, "fights"), times),
    paused: pausedOf(member(value, "paused")),
    recreated: times(member(value, "recreated")),
  };
}

const mostBytes = 16_384;

/** Empty members are left out; when it grows too long the oldest fights are forgotten first. */
export function writeState(state: State): string {
  const text = canonicalJson(plain(state));
  if (utf8Length(text) <= mostBytes) return text;
  const oldest = Object.entries(state.fights).toSorted(([, left], [, right]) => lastOf(left) - lastOf(right))[0]?.[0];
  if (oldest === undefined) return canonicalJson(plain({ ...state, fields: {}, released: [] }));
  const { [oldest]: _gone, ...fights } = state.fights;
  return writeState({ ...state, fights });
}

function plain({ created, fields, released, patch, fights, paused, recreated }: State): JsonMap {
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
  };
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

function pausedOf(value: Json | undefined): Paused | undefined {
  const [field, by, when] = ["field", "by", "at"].map((key) => asText(member(value, key)));
  const count = at(value, "count");
  if (field === undefined || by === undefined || when === undefined || typeof count !== "number") return undefined;
  return { field, by, count, at: when };
}
