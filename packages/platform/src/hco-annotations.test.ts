import { expect, test } from "vitest";
import { annotationIs, anyOf, type Switch } from "./asset.ts";
import { type AnnotationProblem, annotationOf, annotationProblems, booleanOf } from "./hco-annotations.ts";

const switched = (key: string): { switch: Switch } => ({ switch: { annotation: key, default: "on" } });
const assets = [
  switched("enable-swap"),
  switched("enable-numa"),
  { switch: { present: "some-list" } },
  { switch: { gate: "X" } },
  { conditions: [anyOf(annotationIs("read-by-a-condition"))] },
];

const prefix = "platform.kubevirt.io/";
const invalid = (key: string, reason: string) => ({ kind: "invalid" as const, key: `${prefix}${key}`, reason });
const unknown = (key: string, meant?: string) => ({
  kind: "unknown" as const,
  key: `${prefix}${key}`,
  meant: meant === undefined ? undefined : `${prefix}${meant}`,
});

type Case = { reason: string; said: Readonly<Record<string, string>>; problems: readonly AnnotationProblem[] };

const cases: readonly Case[] = [
  { reason: "reads true and false as booleans", said: { "enable-swap": "true", prune: " false\n" }, problems: [] },
  {
    reason: "other texts are not booleans",
    said: { "enable-swap": "True", "enable-numa": "", prune: "1" },
    problems: [
      invalid("enable-numa", 'must be true or false, not ""'),
      invalid("enable-swap", 'must be true or false, not "True"; did you mean true?'),
      invalid("prune", 'must be true or false, not "1"; did you mean true?'),
    ],
  },
  {
    reason: "reads a list of devices",
    said: { "usb-devices": "{}" },
    problems: [invalid("usb-devices", "not a list")],
  },
  { reason: "knows the keys of assets", said: { "some-list": "x", "read-by-a-condition": "y" }, problems: [] },
  {
    reason: "knows the keys of objects",
    said: { patch: "[]", "ignore-fields": "", mode: "x", adopt: "no", "reconcile-paused": "true", state: "{" },
    problems: [],
  },
  {
    reason: "knows the keys of the successor",
    said: { "enable-logging": "x", "sbr-storage-class": "a", openshift: "true", "feature-gates": "A" },
    problems: [],
  },
  {
    reason: "suggests the nearest key",
    said: { "enable-swop": "true" },
    problems: [unknown("enable-swop", "enable-swap")],
  },
  { reason: "is case-sensitive", said: { "Enable-Swap": "x" }, problems: [unknown("Enable-Swap", "enable-swap")] },
  { reason: "an inherited name", said: { constructor: "x" }, problems: [unknown("constructor")] },
];

test.each(cases)("$reason", ({ said, problems }) => {
  const annotations = Object.fromEntries(Object.entries(said).map(([key, value]) => [`${prefix}${key}`, value]));
  const found = annotationProblems({ ...annotations, "other.io/enable-swop": "x" }, assets);
  expect(found).toEqual(problems);
});

test("reports a few of many unknown keys", () => {
  const said = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${prefix}${"x".repeat(40)}${at}`, ""]));
  expect(annotationProblems(said, assets)).toHaveLength(10);
});

test("finds a trimmed value by its short key, and ignores invalid booleans", () => {
  const annotations = { [`${prefix}a`]: " x ", [`${prefix}b`]: "true", [`${prefix}c`]: "false", [`${prefix}d`]: "yes" };
  expect(["a", "z", "__proto__"].map((key) => annotationOf(annotations, key))).toEqual(["x", undefined, undefined]);
  expect(["a", "b", "c", "d", "z"].map((key) => booleanOf(annotations, key))).toEqual([
    undefined,
    true,
    false,
    undefined,
    undefined,
  ]);
});
