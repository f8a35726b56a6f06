import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesGlob, readGlob } from "./disabled-resources.ts";

type Case = { pattern: string; yes: readonly string[]; no: readonly string[] };

const cases: readonly Case[] = [
  { pattern: "a", yes: ["a"], no: ["", "b", "aa"] },
  { pattern: "*", yes: ["", "a", "a-b.c"], no: [] },
  { pattern: "**a", yes: ["a", "ba"], no: ["ab"] },
  { pattern: "50-virt-*", yes: ["50-virt-", "50-virt-swap-enable"], no: ["50-virt", "x50-virt-"] },
  { pattern: "*-psi-*", yes: ["a-psi-b", "-psi-", "-psi--psi-"], no: ["psi", "-psi"] },
  { pattern: "a*b*c", yes: ["abc", "aXbYc", "abbcc", "abcbc"], no: ["acb", "ab"] },
  { pattern: "?", yes: ["a", "."], no: ["", "ab"] },
  { pattern: "a?c", yes: ["abc"], no: ["ac", "abbc"] },
  { pattern: "[ab]", yes: ["a", "b"], no: ["c", "", "ab"] },
  { pattern: "[a-c0-9]x", yes: ["bx", "5x"], no: ["dx", "-x"] },
  { pattern: "[!a-c]", yes: ["d"], no: ["a", ""] },
  { pattern: "[^a]", yes: ["b"], no: ["a"] },
  { pattern: "[a-]", yes: ["a", "-"], no: ["b"] },
  { pattern: "[*?]", yes: ["*", "?"], no: ["a"] },
  { pattern: "\\*", yes: ["*"], no: ["a"] },
  { pattern: "[\\]a]", yes: ["]", "a"], no: ["\\"] },
  { pattern: "a]", yes: ["a]"], no: ["a"] },
  { pattern: "(a|b)+$", yes: ["(a|b)+$"], no: ["a"] },
];

test.each(cases)("$pattern", ({ pattern, yes, no }) => {
  const glob = readGlob(pattern) ?? [];
  expect([...yes, ...no].filter((name) => matchesGlob(glob, name))).toEqual(yes);
});

test.each(["[", "[]", "[a", "[!]", "[^]", "[b-a]", "a\\", "[a\\", "[a-", "x".repeat(513)])(
  "%s is not a pattern",
  (pattern) => {
    expect(readGlob(pattern)).toBeUndefined();
  },
);

const signs = (...of: readonly string[]) =>
  fc.array(fc.constantFrom(...of), { size: "max", maxLength: 24 }).map((parts) => parts.join(""));

test("matches like the equivalent regular expression", () => {
  const law = fc.property(signs("a", "b", "*", "?"), signs("a", "b", "c"), (pattern, name) => {
    const same = new RegExp(`^${pattern.replaceAll(/\*+/g, ".*").replaceAll("?", ".")}$`, "s");
    return matchesGlob(readGlob(pattern) ?? [], name) === same.test(name);
  });
  fc.assert(law);
});

test("no pattern throws", () => {
  const law = fc.property(signs("a", "*", "?", "[", "]", "!", "-", "\\", "ä", "😀"), fc.string(), (pattern, name) => {
    const glob = readGlob(pattern);
    return glob === undefined || typeof matchesGlob(glob, name) === "boolean";
  });
  fc.assert(law);
});

test("slow patterns finish", () => {
  const glob = readGlob("a*".repeat(256)) ?? [];
  const answers = Array.from({ length: 200 }, () => matchesGlob(glob, `${"a".repeat(252)}b`));
  expect(answers.some(Boolean)).toBe(false);
  expect(matchesGlob(readGlob(`${"*a".repeat(120)}*b`) ?? [], "a".repeat(253))).toBe(false);
});
