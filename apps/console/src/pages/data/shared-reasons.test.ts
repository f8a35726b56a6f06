import { expect, test } from "vitest";
import type { AssetLine } from "./report.ts";
import { isShared, sharedReasons } from "./shared-reasons.ts";

const line = (asset: string, status: string, why: string, state: AssetLine["state"] = "Unmanaged"): AssetLine => ({
  asset,
  group: asset,
  object: `ConfigMap ${asset}`,
  target: { kind: "ConfigMap", name: asset },
  state,
  status,
  why,
  contested: [],
  released: [],
  fields: [],
  lastWrite: "",
  managedBy: "none",
  impact: "",
});
const idle = Array.from({ length: 20 }, (_, at) => line(`asset-${at}`, "NotActivated", "the operator is idle"));

test("merges a reason that 20 assets share and keeps single reasons", () => {
  const own = [line("one", "CRDMissing", "no CRD a"), line("two", "CRDMissing", "no CRD b")];
  const shared = sharedReasons([...own, ...idle]);
  expect(shared).toEqual([{ status: "NotActivated", why: "the operator is idle", assets: 20 }]);
  expect(idle.every((row) => isShared(row, shared))).toBe(true);
  expect(own.some((row) => isShared(row, shared))).toBe(false);
});

test("failed assets keep their own reasons", () => {
  const failed = idle.map((row) => ({ ...row, state: "Failed" as const }));
  expect(sharedReasons(failed)).toEqual([]);
});
