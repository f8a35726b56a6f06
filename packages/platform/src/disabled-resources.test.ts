import fc from "fast-check";
import { expect, test } from "vitest";
import { excludedBy, readExclusions } from "./disabled-resources.ts";

const swap = { kind: "MachineConfig", name: "50-virt-swap-enable" };
const mtv = { kind: "ForkliftController", name: "forklift-controller", namespace: "openshift-mtv" };
const targets = [swap, { kind: "MachineConfig", name: "50-virt-pci-passthrough" }, mtv];

type Case = { reason: string; text: string | undefined; excluded: readonly string[] };

const cases: readonly Case[] = [
  { reason: "no annotation excludes nothing", text: undefined, excluded: [] },
  { reason: "an empty annotation excludes nothing", text: " \n", excluded: [] },
  { reason: "an empty list excludes nothing", text: "[]", excluded: [] },
  {
    reason: "the documented example",
    text: '[{kind: MachineConfig, name: "50-virt-*"}]',
    excluded: ["50-virt-swap-enable", "50-virt-pci-passthrough"],
  },
  {
    reason: "multi-line YAML",
    text: "- kind: MachineConfig\n  name: 50-virt-swap-enable\n",
    excluded: ["50-virt-swap-enable"],
  },
  { reason: "the kind is case-sensitive", text: '[{kind: machineconfig, name: "*"}]', excluded: [] },
  { reason: "the kind is not a pattern", text: '[{kind: "*", name: "*"}]', excluded: [] },
  {
    reason: "any namespace without a namespace",
    text: "[{kind: ForkliftController, name: forklift-*}]",
    excluded: ["forklift-controller"],
  },
  {
    reason: "a matching namespace",
    text: '[{kind: ForkliftController, name: "*", namespace: openshift-*}]',
    excluded: ["forklift-controller"],
  },
  { reason: "another namespace", text: '[{kind: ForkliftController, name: "*", namespace: other}]', excluded: [] },
  {
    reason: "an empty namespace pattern",
    text: '[{kind: MachineConfig, name: "*swap*", namespace: ""}]',
    excluded: ["50-virt-swap-enable"],
  },
  {
    reason: "a namespace for a cluster-wide object",
    text: '[{kind: MachineConfig, name: "*", namespace: a}]',
    excluded: [],
  },
];

test.each(cases)("$reason", ({ text, excluded }) => {
  const read = readExclusions(text);
  const rules = read.kind === "rules" ? read.rules : [];
  expect(read.kind).toBe("rules");
  expect(targets.filter((target) => excludedBy(rules, target) !== undefined).map(({ name }) => name)).toEqual(excluded);
});

test("returns the rule that excludes", () => {
  const read = readExclusions('[{kind: A, name: "*"}, {kind: ForkliftController, name: "*"}]');
  expect(read.kind === "rules" && excludedBy(read.rules, mtv)).toBe(1);
});

const rules = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ kind: "A", name: "b" })));

test.each([
  { reason: "not a list", text: "kind: A", says: "not a list" },
  { reason: "an invalid rule", text: "[a]", says: "rule 0: not a map" },
  { reason: "no kind", text: "[{kind: A, name: b}, {name: b}]", says: "rule 1: kind is required" },
  { reason: "an empty kind", text: '[{kind: "", name: b}]', says: "rule 0: kind is required" },
  { reason: "a kind that is not a text", text: "[{kind: 1, name: b}]", says: "rule 0: kind is required" },
  { reason: "no name", text: "[{kind: A}]", says: "rule 0: name is required" },
  { reason: "an empty name", text: '[{kind: A, name: ""}]', says: "rule 0: name is required" },
  { reason: "a null name", text: "[{kind: A, name: }]", says: "rule 0: name is required" },
  { reason: "a numeric name", text: "[{kind: A, name: 50}]", says: "rule 0: invalid pattern" },
  { reason: "an unterminated class", text: '[{kind: A, name: "[a"}]', says: "rule 0: invalid pattern" },
  {
    reason: "an invalid namespace pattern",
    text: '[{kind: A, name: b, namespace: "["}]',
    says: "rule 0: invalid pattern",
  },
  {
    reason: "a namespace that is not a text",
    text: "[{kind: A, name: b, namespace: }]",
    says: "rule 0: invalid pattern",
  },
  { reason: "another key", text: "[{kind: A, name: b, group: c}]", says: "rule 0: unknown key group" },
  { reason: "a prototype", text: "[{kind: A, name: b, __proto__: {}}]", says: "rule 0: unknown key __proto__" },
  { reason: "too many rules", text: rules(201), says: "more than 200 rules: 201" },
  { reason: "too long a text", text: `[]${" ".repeat(65_535)}#`, says: "text exceeds 65536 bytes: 65538" },
  { reason: "an alias", text: "[&a {kind: A, name: b}, *a]", says: "not YAML: aliases exceeded maxAliases (0) (1:26)" },
  {
    reason: "broken text",
    text: "[{kind: A",
    says: "not YAML: unexpected end of the stream within a flow collection (1:10)",
  },
])("rejects $reason", ({ text, says }) => {
  expect(readExclusions(text)).toEqual({ kind: "refused", reason: says });
});

test("accepts the documented number of rules", () => {
  expect(readExclusions(rules(200))).toMatchObject({ kind: "rules" });
});

test.each([
  ["deep lists", "[".repeat(65_000)],
  ["deep maps", "{a: ".repeat(16_000)],
  ["documents", "---\n".repeat(16_000)],
  ["a long list", `[${"a,".repeat(32_000)}]`],
  ["many keys", `[{${Array.from({ length: 6_000 }, (_, at) => `k${at}: 1`).join(",")}}]`],
  ["many tags", `[${"!!str a,".repeat(8_000)}]`],
  ["lines", "a\n".repeat(32_000)],
  ["blocks", "- |\n a\n".repeat(9_000)],
])("rejects hostile text at once: %s", (_reason, text) => {
  expect(readExclusions(text).kind).toBe("refused");
});

test("no text throws, and accepted rules can be evaluated", () => {
  const sign = fc.constantFrom(
    "- ",
    " ",
    "\n",
    "[",
    "]",
    "{",
    "}",
    ": ",
    ",",
    '"',
    "&a",
    "*a",
    "!",
    "kind: A",
    "name: b",
    "*",
  );
  const law = fc.property(fc.array(sign, { size: "max", maxLength: 40 }), (signs) => {
    const read = readExclusions(signs.join(""));
    return read.kind === "refused" || typeof excludedBy(read.rules, swap) !== "string";
  });
  fc.assert(law);
});
