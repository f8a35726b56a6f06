import { expect, test } from "vitest";
import { switchState } from "./activation.ts";
import type { Switch } from "./asset.ts";

const on: Switch = { annotation: "enable-swap", default: "on" };
const off: Switch = { annotation: "enable-aaq", default: "off" };
const key = (name: string, value: string) => ({ [`platform.kubevirt.io/${name}`]: value });

type Case = {
  reason: string;
  given: Switch | undefined;
  annotations?: Readonly<Record<string, string>>;
  isOn: boolean;
  isAskedFor?: boolean;
};

const cases: readonly Case[] = [
  { reason: "on without a switch", given: undefined, isOn: true },
  { reason: "always-on by default", given: on, isOn: true },
  { reason: "always-on can be disabled", given: on, annotations: key("enable-swap", "false"), isOn: false },
  {
    reason: "true requests the asset",
    given: on,
    annotations: key("enable-swap", "true"),
    isOn: true,
    isAskedFor: true,
  },
  { reason: "a typo counts as not set", given: on, annotations: key("enable-swap", "no"), isOn: true },
  { reason: "others are off by default", given: off, isOn: false },
  {
    reason: "others can be enabled",
    given: off,
    annotations: key("enable-aaq", " true "),
    isOn: true,
    isAskedFor: true,
  },
  { reason: "a typo enables nothing", given: off, annotations: key("enable-aaq", "TRUE"), isOn: false },
  { reason: "an enabled gate", given: { gate: "CPUManager" }, isOn: true, isAskedFor: true },
  { reason: "a disabled gate", given: { gate: "Other" }, isOn: false },
  { reason: "a missing gate", given: { gate: "constructor" }, isOn: false },
  {
    reason: "a present list",
    given: { present: "usb-devices" },
    annotations: key("usb-devices", ""),
    isOn: true,
    isAskedFor: true,
  },
  { reason: "a missing list", given: { present: "usb-devices" }, isOn: false },
];

test.each(cases)("$reason", ({ given, annotations = {}, isOn, isAskedFor = false }) => {
  const said = { annotations, featureGates: { cpumanager: true, other: false } };
  expect(switchState(given, said)).toMatchObject({ isOn, isAskedFor });
});

test("suggests a boolean for another value", () => {
  const said = { annotations: key("enable-swap", "False"), featureGates: {} };
  const mistake = 'annotation platform.kubevirt.io/enable-swap must be true or false, not "False"; did you mean false?';
  expect(switchState(on, said)).toMatchObject({ mistake, actual: "platform.kubevirt.io/enable-swap=False" });
  expect(switchState(off, said).mistake).toBeUndefined();
});

test("describes the expected and the actual value", () => {
  const said = { annotations: key("enable-swap", "false"), featureGates: {} };
  expect(switchState(on, said)).toMatchObject({
    expected: "platform.kubevirt.io/enable-swap not false",
    actual: "platform.kubevirt.io/enable-swap=false",
  });
  expect(switchState(off, said)).toMatchObject({ expected: "platform.kubevirt.io/enable-aaq=true", actual: "not set" });
});
