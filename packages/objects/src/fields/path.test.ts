import fc from "fast-check";
import jsonPatch from "fast-json-patch";
import { expect, test } from "vitest";
import { readPointer, writePointer } from "./path.ts";

// https://www.rfc-editor.org/rfc/rfc6901#section-5
const vectors = [
  { text: "", pointer: [] },
  { text: "/foo", pointer: ["foo"] },
  { text: "/foo/0", pointer: ["foo", "0"] },
  { text: "/", pointer: [""] },
  { text: "/a~1b", pointer: ["a/b"] },
  { text: "/c%d", pointer: ["c%d"] },
  { text: "/ ", pointer: [" "] },
  { text: "/m~0n", pointer: ["m~n"] },
  { text: "/~01", pointer: ["~1"] },
];

test.each(vectors)("reads and writes the pointer $text of RFC 6901", ({ text, pointer }) => {
  expect(readPointer(text)).toEqual({ kind: "pointer", pointer });
  expect(writePointer(pointer)).toBe(text);
});

test.each([
  { reason: "a pointer starts with a slash", text: "spec", kind: "no-slash" },
  { reason: "rejects a tilde before another character", text: "/a~2", kind: "bad-escape" },
  { reason: "rejects a tilde at the end", text: "/a~", kind: "bad-escape" },
])("$reason", ({ text, kind }) => {
  expect(readPointer(text)).toEqual({ kind });
});

test("reads every pointer back and finds the same value as fast-json-patch", () => {
  const segment = fc.string({ unit: fc.constantFrom("~", "/", "0", "1", "a", "%", "é"), maxLength: 4 });
  const law = fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (pointer) => {
    const text = writePointer(pointer);
    const read = readPointer(text);
    const document = pointer.reduceRight<unknown>((inner, key) => ({ [key]: inner }), "found");
    const isReadBack = read.kind === "pointer" && read.pointer.join("\n") === pointer.join("\n");
    return isReadBack && jsonPatch.getValueByPointer(document, text) === "found";
  });
  fc.assert(law);
});
