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
  { reason: "always acts without the annotation", mode: "always", active: true, allowed: all },
  { reason: "opt-in does not act without the annotation", mode: "opt-in", active: false, allowed: all },
  { reason: "an empty text counts as absent", mode: "opt-in", annotation: " \n", active: false, allowed: all },
  { reason: "an empty text counts as absent for opt-in", mode: "always", annotation: "", active: true, allowed: all },
  { reason: "true activates everything", mode: "opt-in", annotation: " true ", active: true, allowed: all },
  { reason: "false deactivates, also for always", mode: "always", annotation: "false", active: false, allowed: all },
  {
    reason: "a name activates that asset",
    mode: "opt-in",
    annotation: "swap-enable",
    active: true,
    allowed: ["swap-enable"],
  },
  {
    reason: "a group activates its assets",
    mode: "always",
    annotation: "descheduler-loadaware",
    active: true,
    allowed: ["psi-enable", "descheduler-loadaware"],
  },
  {
    reason: "ignores empty items",
    mode: "opt-in",
    annotation: ",swap-enable,, psi-enable ,",
    active: true,
    allowed: ["swap-enable", "psi-enable"],
  },
  {
    reason: "reports unknown items once",
    mode: "opt-in",
    annotation: "swap-enable,nope,nope,Swap-Enable",
    active: true,
    allowed: ["swap-enable"],
    unknown: ["nope", "Swap-Enable"],
  },
  {
    reason: "is idle without a known item",
    mode: "always",
    annotation: "nope",
    active: false,
    allowed: [],
    unknown: ["nope"],
  },
  { reason: "True is not true", mode: "always", annotation: "True", active: false, allowed: [], unknown: ["True"] },
  { reason: "only commas activate nothing", mode: "always", annotation: ",,", active: false, allowed: [] },
  {
    reason: "inherited names are not assets",
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

test("only listed assets were requested", () => {
  const asked = (annotation: string) => {
    const activation = readActivation(annotation, "always", assets);
    return assets.filter((asset) => isAskedFor(activation, asset)).map(({ name }) => name);
  };
  expect(asked("true")).toEqual([]);
  expect(asked("psi-enable")).toEqual(["psi-enable"]);
});

test("reports a few of thousands of unknown items, shortened", () => {
  const text = Array.from({ length: 20_000 }, (_, at) => `${"x".repeat(90)}${at}`).join(",");
  const { unknown } = readActivation(text, "always", assets);
  expect(unknown).toEqual(Array.from({ length: 10 }, () => `${"x".repeat(60)}…`));
});

const enablings = [
  { reason: "all", mode: "opt-in", names: [], wanted: "true" },
  { reason: "all instead of a list", mode: "opt-in", said: "swap-enable", names: [], wanted: "true" },
  { reason: "all after an opt-out", mode: "always", said: "false", names: [], wanted: "true" },
  { reason: "one asset", mode: "opt-in", said: "", names: ["swap-enable"], wanted: "swap-enable" },
  {
    reason: "one asset in addition to listed ones",
    mode: "opt-in",
    said: " psi-enable, nope ",
    names: ["psi-enable", "swap-enable", "swap-enable"],
    wanted: "psi-enable, nope,swap-enable",
  },
  { reason: "an active controller without a value", mode: "always", names: [], wanted: undefined },
  { reason: "an asset of an active controller without a value", mode: "opt-in", said: "true", names: ["swap-enable"] },
  {
    reason: "an asset without a value if its group is listed",
    mode: "opt-in",
    said: "descheduler-loadaware",
    names: ["psi-enable"],
  },
] as const;

test.each(enablings)("enables $reason and disables nothing", ({ mode, names, ...more }) => {
  const given = { said: undefined, wanted: undefined, ...more };
  expect(enablingAnnotation(given.said, mode, { assets, names })).toBe(given.wanted);
  for (const asset of assets.filter((one) => isAllowedBy(given.said, mode, one)))
    expect(isAllowedBy(given.wanted ?? given.said, mode, asset)).toBe(true);
});

function isAllowedBy(annotation: string | undefined, mode: "always" | "opt-in", asset: { readonly name: string }) {
  const activation = readActivation(annotation, mode, assets);
  return activation.isActive && isAllowed(activation, asset);
}
