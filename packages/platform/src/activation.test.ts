import { expect, test } from "vitest";
import {
  type ActivationInput,
  activationValue,
  decideActivation,
  enablingAnnotation,
  isAllowed,
  isAskedFor,
} from "./activation.ts";

const assets = [
  { name: "swap-enable" },
  { name: "psi-enable", group: "descheduler-loadaware" },
  { name: "descheduler-loadaware" },
];

const nothingSaid: ActivationInput = {
  key: undefined,
  autopilot: undefined,
  isAutopilotPresent: false,
  consent: undefined,
};

const activated = (key: string | undefined, mode: "always" | "opt-in") =>
  decideActivation({ ...nothingSaid, key }, mode, assets);

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
  const activation = activated(annotation, mode);
  expect(activation.isActive).toBe(active);
  expect(activation.unknown).toEqual(unknown);
  expect(assets.filter((asset) => isAllowed(activation, asset)).map(({ name }) => name)).toEqual(allowed);
});

test("only listed assets were requested", () => {
  const asked = (annotation: string) => {
    const activation = activated(annotation, "always");
    return assets.filter((asset) => isAskedFor(activation, asset)).map(({ name }) => name);
  };
  expect(asked("true")).toEqual([]);
  expect(asked("psi-enable")).toEqual(["psi-enable"]);
});

test("reports a few of thousands of unknown items, shortened", () => {
  const text = Array.from({ length: 20_000 }, (_, at) => `${"x".repeat(90)}${at}`).join(",");
  const { unknown } = activated(text, "always");
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
  expect(enablingAnnotation(activated(given.said, mode), { assets, names })).toBe(given.wanted);
  for (const asset of assets.filter((one) => isAllowedBy(given.said, mode, one)))
    expect(isAllowedBy(given.wanted ?? given.said, mode, asset)).toBe(true);
});

function isAllowedBy(annotation: string | undefined, mode: "always" | "opt-in", asset: { readonly name: string }) {
  const activation = activated(annotation, mode);
  return activation.isActive && isAllowed(activation, asset);
}

type Said = Partial<ActivationInput> & { readonly mode?: "always" | "opt-in" };
const decided = ({ mode = "opt-in", ...said }: Said) => decideActivation({ ...nothingSaid, ...said }, mode, assets);

const kept = { autopilot: "psi-enable", isEnded: false };
const ended = { autopilot: "psi-enable", isEnded: true };

test.each<[string, Said, ReturnType<typeof decided>["source"], string | undefined, string?]>([
  [
    "our key counts next to the autopilot",
    { key: "true", autopilot: "false", isAutopilotPresent: true },
    "key",
    "true",
  ],
  ["our key deactivates", { key: "false", autopilot: "true" }, "key", undefined],
  ["an empty key counts as unset", { key: " ", autopilot: "true" }, "legacy", "true"],
  ["without the autopilot, its annotation counts", { autopilot: "swap-enable" }, "legacy", "swap-enable"],
  ["without the autopilot, false deactivates", { autopilot: "false", mode: "always" }, "legacy", undefined],
  ["without the autopilot, the flag decides", { mode: "always" }, "flag", "true"],
  [
    "next to the autopilot, false deactivates",
    { autopilot: "false", isAutopilotPresent: true, mode: "always" },
    "flag",
    undefined,
  ],
  [
    "next to the autopilot, its annotation does not activate",
    { autopilot: "true", isAutopilotPresent: true },
    "flag",
    undefined,
    "true",
  ],
  [
    "next to the autopilot, the flag decides",
    { autopilot: "psi-enable", isAutopilotPresent: true, mode: "always" },
    "flag",
    "true",
  ],
  ["next to the autopilot, nothing is said", { isAutopilotPresent: true }, "flag", undefined],
  [
    "a consent keeps the annotation in effect",
    { autopilot: "psi-enable", isAutopilotPresent: true, consent: kept },
    "legacy",
    "psi-enable",
  ],
  [
    "a consent counts only for its exact value",
    { autopilot: "psi-enable ", isAutopilotPresent: true, consent: kept },
    "flag",
    undefined,
    "psi-enable",
  ],
  [
    "an ended consent does not count again, even with always",
    { autopilot: "psi-enable", isAutopilotPresent: true, consent: ended, mode: "always" },
    "flag",
    undefined,
    "psi-enable",
  ],
])("%s", (_promise, said, source, value, ignored) => {
  const activation = decided(said);
  expect([activation.source, activationValue(activation), activation.ignored]).toEqual([source, value, ignored]);
});
