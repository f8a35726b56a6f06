import { Registry } from "@virt/kube";
import type { ObjectMetrics } from "@virt/platform";
import { expect, test } from "vitest";
import { platformMetrics } from "./metrics.ts";

const ref = { apiVersion: "v1", kind: "T", name: "t" };
const other = { ...ref, name: "u", namespace: "n" };
const objectMetrics: ObjectMetrics = {
  compliance: 1,
  paused: undefined,
  customizations: ["patch"],
  invalid: ["mode"],
  contested: 1,
  held: "InputChanged",
};

function start() {
  const registry = new Registry();
  const metrics = platformMetrics(registry);
  const series = async () =>
    (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const show = (one: typeof ref) => {
    metrics.setObject(one, objectMetrics);
    metrics.countThrashing(one);
    metrics.observeDuration(one, 0.1);
  };
  return { metrics, series, show };
}

test("removes every series of an object that is no longer managed", async () => {
  const { metrics, series, show } = start();
  show(ref);
  show(other);
  metrics.removeObject(ref);
  metrics.observeDuration(ref, 0.1);
  expect((await series()).filter((line) => line.includes('name="t"'))).toEqual([]);
  expect((await series()).length).toBeGreaterThan(5);
  metrics.removeAllObjects();
  expect(await series()).toEqual([]);
});

test("exports an unchanged object again after its removal", async () => {
  const { metrics, series, show } = start();
  show(ref);
  const before = await series();
  metrics.removeObject(ref);
  expect(metrics.object(ref)).toBeUndefined();
  show(ref);
  expect(await series()).toEqual(before);
});

test("exports only the current state of the autopilot and the objects left to others", async () => {
  const { metrics, series } = start();
  metrics.setAutopilotState("Active");
  metrics.setYielded([
    { ref, to: "virt-platform-autopilot" },
    { ref: other, to: "VirtPlatformConfig/a" },
  ]);
  metrics.setAutopilotState("Off");
  metrics.setYielded([{ ref, to: "virt-platform-autopilot" }]);
  expect(await series()).toEqual([
    'kubevirt_platform_autopilot_state{state="Off"} 1',
    'kubevirt_platform_yielded_objects{kind="T",name="t",namespace="",to="virt-platform-autopilot"} 1',
  ]);
});

test("exports one exclusion reason per asset", async () => {
  const { metrics, series } = start();
  metrics.setExcluded("a", "SwitchedOff");
  metrics.setExcluded("a", "HCOMissing");
  expect(await series()).toEqual(['kubevirt_platform_excluded_assets{asset="a",reason="HCOMissing"} 1']);
  metrics.setExcluded("a", undefined);
  expect(await series()).toEqual([]);
});
