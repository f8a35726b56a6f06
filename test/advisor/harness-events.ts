import type { ConfigHarness } from "@virt/advisor/testing/config-harness";
import { inputRef, machineTarget, mapTarget } from "@virt/advisor/testing/small-profile";
import fc from "fast-check";
import type { KnownHistory } from "./known-histories.ts";

type HistoryEvent = readonly [string, (harness: ConfigHarness) => void];

const behave = (change: Partial<ConfigHarness["behaviour"]>) => (harness: ConfigHarness) =>
  void Object.assign(harness.behaviour, change);
const events: readonly HistoryEvent[] = [
  ["DryRun", (harness) => harness.edit({ action: "DryRun" })],
  ["Apply", (harness) => harness.edit({ action: "Apply" })],
  ["Apply again", (harness) => harness.edit({ action: "Apply" })],
  ["Ignore", (harness) => harness.edit({ action: "Ignore" })],
  ["another size", (harness) => harness.edit({ options: { small: { size: "xl" } } })],
  ["no kernel arguments", (harness) => harness.edit({ options: { small: { kernel: false } } })],
  ["default options", (harness) => harness.edit({ options: {} })],
  ["continue after failures", (harness) => harness.edit({ failurePolicy: "Continue" })],
  ["correct drift", (harness) => harness.edit({ bypassOptimisticLock: true })],
  ["a timeout", (harness) => harness.edit({ waitTimeout: "5m" })],
  ["an input changes", (harness) => harness.put(inputRef, { data: { limit: "10" } })],
  ["settings edited", (harness) => harness.put(mapTarget, { data: { size: "mine" } })],
  ["settings deleted", (harness) => harness.put(mapTarget, undefined)],
  ["kernel arguments edited", (harness) => harness.put(machineTarget, { spec: { kernelArguments: ["b=2"] } })],
  ["MachineConfig deleted", (harness) => harness.put(machineTarget, undefined)],
  ["MachineConfig restored", (harness) => harness.put(machineTarget, { spec: { kernelArguments: ["a=1"] } })],
  ["nodes stop", behave({ isRollingOut: false })],
  ["nodes continue", behave({ isRollingOut: true })],
  ["the pool does not count", behave({ isPoolSilent: true })],
  ["the pool counts", behave({ isPoolSilent: false })],
  ["the API server refuses writes", behave({ isRefusing: true })],
  ["the API server accepts writes", behave({ isRefusing: false })],
  ["VMs cannot be read", behave({ areVmsReadable: false })],
  ["VMs can be read", behave({ areVmsReadable: true })],
  ["an outage", behave({ isUnavailable: true })],
  ["the end of an outage", behave({ isUnavailable: false })],
];

export const anyHistory = fc.array(
  fc.record({ event: fc.constantFrom(...events), reconciles: fc.integer({ min: 1, max: 6 }) }),
  { minLength: 2, maxLength: 9, size: "max" },
);

export function historyOf(known: KnownHistory) {
  return known.map(([name, reconciles]) => ({
    event: events.find(([event]) => event === name) ?? never(name),
    reconciles,
  }));
}

function never(name: string): never {
  throw new Error(`no event is called ${name}`);
}
