import fc from "fast-check";
import { expect, test } from "vitest";
import { readDataUrl, writeDataUrl } from "./bytes.ts";

test("writes our own files in one form", () => {
  expect(writeDataUrl("é\n")).toBe("data:text/plain;charset=utf-8;base64,w6kK");
});

test.each([";base64", ";BASE64", ";Base64", "text/plain;bAsE64"])("content marked %s is base64", (mark) => {
  expect(readDataUrl(`data:${mark},YQ==`)).toEqual(Uint8Array.of(0x61));
});

test("a media type that mentions base64 is not base64", () => {
  expect(readDataUrl("data:text/base64,YQ")).toEqual(Uint8Array.of(0x59, 0x51));
});

test("reads any content in base64 and percent encoding", () => {
  const law = fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
    const percent = `data:,${Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")}`;
    const base64 = `data:;base64,${Buffer.from(bytes).toString("base64")}`;
    return [base64, base64.replaceAll("=", ""), percent].every((url) => isSame(readDataUrl(url), bytes));
  });
  fc.assert(law);
});

test("reads base64 like Buffer, or rejects it", () => {
  const sign = fc.constantFrom(...Array.from("AZaz09+/=-_ \n.é"));
  const law = fc.property(fc.string({ unit: sign, maxLength: 12 }), (text) => {
    const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && isWhole(text);
    const bytes = readDataUrl(`data:;base64,${text}`);
    return isBase64 ? isSame(bytes, Buffer.from(text, "base64")) : bytes === undefined;
  });
  fc.assert(law);
});

function isWhole(text: string): boolean {
  return text.includes("=") ? text.length % 4 === 0 : text.length % 4 !== 1;
}

test("reads and writes a megabyte", () => {
  const text = "é0123456789".repeat(90_000);
  expect(isSame(readDataUrl(writeDataUrl(text)), Buffer.from(text))).toBe(true);
});

function isSame(left: Uint8Array | undefined, right: Uint8Array): boolean {
  return left !== undefined && Buffer.compare(left, right) === 0;
}
