import type { VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { optionRows } from "./option-rows.ts";

const config = (options: Readonly<Record<string, unknown>>) => ({ spec: { options } }) as unknown as VirtPlatformConfig;
const derived = { fields: ["spec.evictionLimits.total"], source: "HyperConverged parallelMigrationsPerCluster" };
const known = {
  "loadAware.mode": { default: "Automatic" },
  "loadAware.evictionLimitTotal": { default: null, derived },
};

test("shows the default of an unset option, or no value", () => {
  expect(optionRows(config({}), known)).toEqual([
    { name: "loadAware.mode", value: '"Automatic"', isDefault: true },
    { name: "loadAware.evictionLimitTotal", value: undefined, isDefault: true },
  ]);
});

test("shows set options as set, and unknown options last", () => {
  const options = { loadAware: { mode: "Predictive", evictionLimitTotal: 3, added: true } };
  expect(optionRows(config(options), known)).toEqual([
    { name: "loadAware.mode", value: '"Predictive"', isDefault: false },
    { name: "loadAware.evictionLimitTotal", value: "3", isDefault: false },
    { name: "loadAware.added", value: "true", isDefault: false },
  ]);
});

test("shows a derived option with its planned value and its source", () => {
  const items = [{ desiredState: { spec: {} } }, { desiredState: { spec: { evictionLimits: { total: 5 } } } }];
  const planned = { spec: {}, status: { items } } as unknown as VirtPlatformConfig;
  expect(optionRows(planned, known)[1]).toEqual({
    name: "loadAware.evictionLimitTotal",
    value: "5",
    isDefault: true,
    from: "HyperConverged parallelMigrationsPerCluster",
  });
  const set = {
    ...planned,
    spec: { options: { loadAware: { evictionLimitTotal: 3 } } },
  } as unknown as VirtPlatformConfig;
  expect(optionRows(set, known)[1]).toMatchObject({ value: "3", isDefault: false });
});

const psi = { fields: ["spec.kernelArguments"], source: "the installed descheduler", present: true, absent: false };
const ksm = { fields: ["spec.ksm", "spec.virtualization.ksm"], source: "other options", absent: { enabled: false } };
const inPlan = (...specs: readonly object[]) =>
  ({ spec: {}, status: { items: specs.map((spec) => ({ desiredState: { spec } })) } }) as unknown as VirtPlatformConfig;

test.each([
  { derived: psi, spec: { kernelArguments: ["psi=1"] }, value: "true" },
  { derived: psi, spec: { mode: "Automatic" }, value: "false" },
  { derived: ksm, spec: { virtualization: { ksm: { selector: {} } } }, value: '{"selector":{}}' },
  { derived: ksm, spec: { virtualization: {} }, value: '{"enabled":false}' },
])("shows the derived value $value for a plan that writes $spec", ({ derived: option, spec, value }) => {
  const options = { option: { default: null, derived: option } };
  expect(optionRows(inPlan(spec), options)).toEqual([{ name: "option", value, isDefault: true, from: option.source }]);
  expect(optionRows(inPlan(), options)).toEqual([{ name: "option", value: undefined, isDefault: true }]);
});
