// What a hostile patch annotation is: its text, what it tries, and how its refusal reads.

export type HostilePatch = {
  /** What it tries. */
  readonly tries: string;
  readonly text: string;
  readonly refusal: RegExp;
};

export const forbidden = /^patch (?:path|from) ".*" is forbidden$/s;
export const malformed = /^invalid patch annotation: /;
export const failing = /^operation [0-9]+ \(/;
export const tooMuch = /^patch exceeds [a-z ]+: (?:[0-9.e+]+|Infinity) > [0-9]+$/;

export const patchText = (...operations: readonly object[]): string => JSON.stringify(operations);

/** Every way in which an operation can name a place, with a field that is there. */
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
