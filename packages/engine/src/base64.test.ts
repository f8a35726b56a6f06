import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBase64, encodeBase64 } from "./base64.ts";

test("bytes are written as Buffer writes them, and read back", () => {
  const law = fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
    const text = encodeBase64(bytes);
    const isRead = [text, text.replaceAll("=", "")].every((given) => isSame(decodeBase64(given), bytes));
    return isRead && text === Buffer.from(bytes).toString("base64");
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("a text is read as Buffer reads it, or refused", () => {
  const sign = fc.constantFrom(...Array.from("AZaz09+/=-_ \n.é"));
  const law = fc.property(fc.string({ unit: sign, maxLength: 12 }), (text) => {
    const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && isWhole(text);
    const bytes = decodeBase64(text);
    return isBase64 ? isSame(bytes, Buffer.from(text, "base64")) : bytes === undefined;
  });
  fc.assert(law, { numRuns: 20_000 });
});

function isWhole(text: string): boolean {
  return text.includes("=") ? text.length % 4 === 0 : text.length % 4 !== 1;
}

test("a megabyte survives", () => {
  const bytes = Uint8Array.from({ length: 1_000_000 }, (_, at) => (at * 7) % 256);
  expect(isSame(decodeBase64(encodeBase64(bytes)), bytes)).toBe(true);
});

function isSame(left: Uint8Array | undefined, right: Uint8Array): boolean {
  return left !== undefined && Buffer.compare(left, right) === 0;
}
