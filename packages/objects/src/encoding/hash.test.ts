import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "./bytes.ts";

const oracle = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

test("equals the hash of node:crypto for any text", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.string({ unit: "grapheme", maxLength: 100 }));
  fc.assert(fc.property(text, (given) => sha256(given) === oracle(given)));
});

test("hashes texts of any length around block borders", () => {
  for (let length = 0; length <= 200; length++) expect(sha256("x".repeat(length))).toBe(oracle("x".repeat(length)));
});

test("hashes a megabyte", () => {
  const text = "0123456789abcdef".repeat(65_536);
  expect(sha256(text)).toBe(oracle(text));
});
