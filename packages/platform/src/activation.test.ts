import { expect, test } from "vitest";
import { enablingAnnotation, isAllowed, isAskedFor, readActivation } from "./activation.ts";

const assets = [
  { name: "swap-enable" },
  { name: "psi-enable", group: "descheduler-loadaware" },
  { name: "descheduler-loadaware" },
];

type Case = {
  reason: string;
  mode: "always" | "opt-in";
  annotation?: string;
  active: boolean;
  allowed?: readonly string[];
  unknown?: readonly string[];
};

const all = assets.map(({ name }) => name);

const cases: readonly Case[] = [
  { reason: "always acts when nothing is said", mode: "always", active: true, allowed: all },
  { reason: "opt-in does not", mode: "opt-in", active: false, allowed: all },
  { reason: "an empty text says nothing", mode: "opt-in", annotation: " \n", active: false, allowed: all },
  { reason: "an empty text says nothing either way", mode: "always", annotation: "", active: true, allowed: all },
  { reason: "true is everything", mode: "opt-in", annotation: " true ", active: true, allowed: all },
  { reason: "false is idle, always too", mode: "always", annotation: "false", active: false, allowed: all },
  { reason: "a name is that asset", mode: "opt-in", annotation: "swap-enable", active: true, allowed: ["swap-enable"] },
  {
    reason: "a group is all of its assets",
    mode: "always",
    annotation: "descheduler-loadaware",
    active: true,
    allowed: ["psi-enable", "descheduler-loadaware"],
  },
  {
    reason: "empty items are dropped",
    mode: "opt-in",
    annotation: ",swap-enable,, psi-enable ,",
    active: true,
    allowed: ["swap-enable", "psi-enable"],
  },
  {
    reason: "unknown items are reported, once each",
    mode: "opt-in",
    annotation: "swap-enable,nope,nope,Swap-Enable",
    active: true,
    allowed: ["swap-enable"],
    unknown: ["nope", "Swap-Enable"],
  },
  {
    reason: "without a known item it is idle",
    mode: "always",
    annotation: "nope",
    active: false,
    allowed: [],
    unknown: ["nope"],
  },
  { reason: "True is no true", mode: "always", annotation: "True", active: false, allowed: [], unknown: ["True"] },
  { reason: "commas alone list nothing", mode: "always", annotation: ",,", active: false, allowed: [] },
  {
    reason: "names that every object has are no assets",
    mode: "always",
    annotation: "__proto__,constructor",
    active: false,
    allowed: [],
    unknown: ["__proto__", "constructor"],
  },
];

test.each(cases)("$reason", ({ mode, annotation, active, allowed, unknown = [] }) => {
  const activation = readActivation(annotation, mode, assets);
  expect(activation.isActive).toBe(active);
  expect(activation.unknown).toEqual(unknown);
  expect(assets.filter((asset) => isAllowed(activation, asset)).map(({ name }) => name)).toEqual(allowed);
});

test("only what a list names was asked for", () => {
  const asked = (annotation: string) => {
    const activation = readActivation(annotation, "always", assets);
    return assets.filter((asset) => isAskedFor(activation, asset)).map(({ name }) => name);
  };
  expect(asked("true")).toEqual([]);
  expect(asked("psi-enable")).toEqual(["psi-enable"]);
});

test("of thousands of unknown items a few are reported, shortened", () => {
  const text = Array.from({ length: 20_000 }, (_, at) => `${"x".repeat(90)}${at}`).join(",");
  const { unknown } = readActivation(text, "always", assets);
  expect(unknown).toEqual(Array.from({ length: 10 }, () => `${"x".repeat(60)}…`));
});

const enablings = [
  { reason: "all", mode: "opt-in", names: [], wanted: "true" },
  { reason: "all in the place of a list", mode: "opt-in", said: "swap-enable", names: [], wanted: "true" },
  { reason: "all after somebody opted out", mode: "always", said: "false", names: [], wanted: "true" },
  { reason: "one asset", mode: "opt-in", said: "", names: ["swap-enable"], wanted: "swap-enable" },
  {
    reason: "one asset beside those that are listed",
    mode: "opt-in",
    said: " psi-enable, nope ",
    names: ["psi-enable", "swap-enable", "swap-enable"],
    wanted: "psi-enable, nope,swap-enable",
  },
  { reason: "an active controller by nothing", mode: "always", names: [], wanted: undefined },
  { reason: "an asset of an active controller by nothing", mode: "opt-in", said: "true", names: ["swap-enable"] },
  {
    reason: "an asset by nothing if its group is listed",
    mode: "opt-in",
    said: "descheduler-loadaware",
    names: ["psi-enable"],
  },
] as const;

test.each(enablings)("enables $reason, and takes nothing away", ({ mode, names, ...more }) => {
  const given = { said: undefined, wanted: undefined, ...more };
  expect(enablingAnnotation(given.said, mode, { assets, names })).toBe(given.wanted);
  for (const asset of assets.filter((one) => isAllowedBy(given.said, mode, one)))
    expect(isAllowedBy(given.wanted ?? given.said, mode, asset)).toBe(true);
});

function isAllowedBy(annotation: string | undefined, mode: "always" | "opt-in", asset: { readonly name: string }) {
  const activation = readActivation(annotation, mode, assets);
  return activation.isActive && isAllowed(activation, asset);
}
