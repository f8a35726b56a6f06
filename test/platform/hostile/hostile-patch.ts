// The type of a hostile patch annotation: its text, its goal and the expected refusal.

export type HostilePatch = {
  readonly tries: string;
  readonly text: string;
  readonly refusal: RegExp;
};

export const forbidden = /^patch (?:path|from) ".*" is forbidden$/s;
export const malformed = /^invalid patch annotation: /;
export const failing = /^operation [0-9]+ \(/;
export const tooMuch = /^patch exceeds [a-z ]+: (?:[0-9.e+]+|Infinity) > [0-9]+$/;

export const patchText = (...operations: readonly object[]): string => JSON.stringify(operations);

/** Returns every operation that can name the place, with an existing field. */
export function operationsAt(place: string, field: string): readonly object[] {
  return [
    { op: "add", path: place, value: "hostile" },
    { op: "replace", path: place, value: "hostile" },
    { op: "test", path: place, value: "hostile" },
    { op: "remove", path: place },
    { op: "move", from: place, path: field },
    { op: "copy", from: place, path: field },
    { op: "move", from: field, path: place },
    { op: "copy", from: field, path: place },
  ];
}
