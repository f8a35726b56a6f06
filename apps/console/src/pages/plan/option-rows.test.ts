import type { VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { optionRows } from "./option-rows.ts";

const config = (options: Readonly<Record<string, unknown>>) => ({ spec: { options } }) as unknown as VirtPlatformConfig;
const known = { "loadAware.mode": "Automatic", "loadAware.evictionLimitTotal": null };

test("an option that nobody set has its default, or none", () => {
  expect(optionRows(config({}), known)).toEqual([
    { name: "loadAware.mode", value: '"Automatic"', isDefault: true },
    { name: "loadAware.evictionLimitTotal", value: undefined, isDefault: true },
  ]);
});

test("what was set is shown as set, the default of the same value too, and what the catalog does not know last", () => {
  const options = { loadAware: { mode: "Predictive", evictionLimitTotal: 3, added: true } };
  expect(optionRows(config(options), known)).toEqual([
    { name: "loadAware.mode", value: '"Predictive"', isDefault: false },
    { name: "loadAware.evictionLimitTotal", value: "3", isDefault: false },
    { name: "loadAware.added", value: "true", isDefault: false },
  ]);
});
