import fc from "fast-check";
import { expect, test } from "vitest";
import { readIgnoreFields } from "./mask.ts";

const accepted: readonly { reason: string; text: string; pointers: readonly (readonly string[])[] }[] = [
  {
    reason: "reads pointers between commas, without blanks",
    text: " /spec/a , /spec/b,,",
    pointers: [
      ["spec", "a"],
      ["spec", "b"],
    ],
  },
  { reason: "reads a JSON array with commas", text: '["/spec/a,b"]', pointers: [["spec", "a,b"]] },
  { reason: "decodes escapes", text: "/metadata/annotations/a~1b", pointers: [["metadata", "annotations", "a/b"]] },
  { reason: "an empty annotation ignores nothing", text: "", pointers: [] },
  { reason: "all of spec may be ignored", text: "/spec", pointers: [["spec"]] },
];

test.each(accepted)("$reason", ({ text, pointers }) => {
  expect(readIgnoreFields(text)).toEqual({ kind: "pointers", pointers });
});

const refused: readonly { reason: string; text: string; says: string }[] = [
  { reason: "a pointer starts with a slash", text: "/spec/a, spec/b", says: "JSON pointer must start with /: spec/b" },
  { reason: "an empty pointer is rejected", text: '[""]', says: "JSON pointer must start with /: " },
  { reason: "a tilde must be escaped", text: "/spec/a~", says: 'pointer "/spec/a~": invalid escape' },
  {
    reason: "only fields that may be patched may be ignored",
    text: "/metadata/name",
    says: 'pointer "/metadata/name" is forbidden',
  },
  {
    reason: "our own annotations may not be ignored",
    text: "/metadata/annotations/platform.kubevirt.io~1mode",
    says: 'pointer "/metadata/annotations/platform.kubevirt.io~1mode" is forbidden',
  },
  { reason: "a prototype is not a field", text: "/spec/__proto__", says: 'pointer "/spec/__proto__" is forbidden' },
  { reason: "an array must be complete", text: '["/spec/a"', says: "not a JSON array of strings" },
  { reason: "an array contains only texts", text: '["/spec/a",1]', says: "not a JSON array of strings" },
  {
    reason: "an annotation has at most 16 KiB",
    text: `/spec/${"é".repeat(8190)}`,
    says: "ignore-fields exceeds bytes: 16386 > 16384",
  },
  {
    reason: "there are at most 100 pointers",
    text: Array.from({ length: 101 }, () => "/spec/a").join(),
    says: "ignore-fields exceeds pointers: 101 > 100",
  },
];

test.each(refused)("$reason", ({ text, says }) => {
  expect(readIgnoreFields(text)).toEqual({ kind: "refused", reason: says });
});

test("reads or rejects any text, and no pointer leaves the roots", () => {
  const piece = fc.constantFrom(
    "/spec",
    "/data",
    "/metadata/labels",
    "/a",
    "/__proto__",
    "~1",
    "~",
    ",",
    " ",
    "[",
    '"',
    "]",
    "/platform.kubevirt.io~1x",
    "spec",
  );
  const law = fc.property(fc.string({ unit: piece, maxLength: 6 }), (text) => {
    const read = readIgnoreFields(text);
    if (read.kind === "refused") return read.reason !== "";
    return read.pointers.every(
      ([root, part]) => root === "spec" || root === "data" || (root === "metadata" && part === "labels"),
    );
  });
  fc.assert(law);
});
