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
  { reason: "without a switch it is on", given: undefined, isOn: true },
  { reason: "an always-on one is on by itself", given: on, isOn: true },
  { reason: "and off on demand", given: on, annotations: key("enable-swap", "false"), isOn: false },
  {
    reason: "true asks for it by name",
    given: on,
    annotations: key("enable-swap", "true"),
    isOn: true,
    isAskedFor: true,
  },
  { reason: "a typo counts as not set", given: on, annotations: key("enable-swap", "no"), isOn: true },
  { reason: "another is off by itself", given: off, isOn: false },
  {
    reason: "and on when asked for",
    given: off,
    annotations: key("enable-aaq", " true "),
    isOn: true,
    isAskedFor: true,
  },
  { reason: "a typo does not switch it on", given: off, annotations: key("enable-aaq", "TRUE"), isOn: false },
  { reason: "a gate that is on", given: { gate: "CPUManager" }, isOn: true, isAskedFor: true },
  { reason: "a gate that is off", given: { gate: "Other" }, isOn: false },
  { reason: "a gate that nobody set", given: { gate: "constructor" }, isOn: false },
  {
    reason: "a list that is there",
    given: { present: "usb-devices" },
    annotations: key("usb-devices", ""),
    isOn: true,
    isAskedFor: true,
  },
  { reason: "a list that is not", given: { present: "usb-devices" }, isOn: false },
];

test.each(cases)("$reason", ({ given, annotations = {}, isOn, isAskedFor = false }) => {
  const said = { annotations, featureGates: { cpumanager: true, other: false } };
  expect(switchState(given, said)).toMatchObject({ isOn, isAskedFor });
});

test("a value that is neither true nor false is a mistake, with the word that was meant", () => {
  const said = { annotations: key("enable-swap", "False"), featureGates: {} };
  const mistake = 'annotation platform.kubevirt.io/enable-swap must be true or false, not "False"; did you mean false?';
  expect(switchState(on, said)).toMatchObject({ mistake, actual: "platform.kubevirt.io/enable-swap=False" });
  expect(switchState(off, said).mistake).toBeUndefined();
});

test("what was expected and what is there can be described", () => {
  const said = { annotations: key("enable-swap", "false"), featureGates: {} };
  expect(switchState(on, said)).toMatchObject({
    expected: "platform.kubevirt.io/enable-swap not false",
    actual: "platform.kubevirt.io/enable-swap=false",
  });
  expect(switchState(off, said)).toMatchObject({ expected: "platform.kubevirt.io/enable-aaq=true", actual: "not set" });
});
