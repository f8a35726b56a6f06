import { assetStates } from "@virt/cluster";
import { assetStateRows } from "@virt/views";
import { expect, test } from "vitest";
import { readReport } from "./report.ts";
import { targetPath } from "./use-drift.ts";

const object = (status: string, more: object = {}) => ({
  object: `Thing ${status}`,
  status,
  assets: [`of-${status}`],
  contested: [],
  ...more,
});
const report = {
  hco: { apiVersion: "hco.kubevirt.io/v1beta1", namespace: "openshift-cnv" },
  features: [{ feature: "swap", assets: ["of-Held"] }],
  objects: [
    ...["InSync", "Pending", "Unknown", "Failed", "Paused", "Unmanaged", "Excluded"].map((status) => object(status)),
    object("Held", { held: "RebootGate: 3 VMs block", lastWrite: "2026-11-15T09:00:00Z" }),
    object("Contested", {
      contested: [{ path: "/spec/a", managers: ["gitops"], wanted: "1", found: "2" }],
      owned: ["/spec/c"],
    }),
    object("InSync", { object: "HyperConverged openshift-cnv/kubevirt-hyperconverged", assets: ["switches"] }),
    object("Contested", { assets: ["released"], released: ["/spec/b~1c"] }),
  ],
  exclusions: [
    { asset: "gone", group: "health", target: "Thing gone", reason: "CRDMissing", details: "things.a.io" },
    { asset: "odd", group: "health", target: "Thing odd", reason: "RenderError", details: "" },
  ],
};
const shown = readReport({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "report" },
  data: { "report.json": JSON.stringify(report) },
})?.rows;

test("shows the same states and reasons as the command line", () => {
  expect(shown?.map(({ asset, state, why }) => ({ asset, state, why }))).toEqual(
    assetStateRows(report).flatMap(({ assets, state, why }) => assets.map((asset) => ({ asset, state, why }))),
  );
  expect(new Set(shown?.map(({ state }) => state))).toEqual(new Set(assetStates));
  expect(shown?.filter(({ why }) => why === "")).toEqual([]);
});

test("a row keeps its group, contested fields and the time of the last write", () => {
  const row = (asset: string) => shown?.find((one) => one.asset === asset);
  expect(row("of-Held")).toMatchObject({ group: "swap", status: "Held", lastWrite: "2026-11-15T09:00:00Z" });
  expect(row("gone")).toMatchObject({ group: "health", status: "CRDMissing" });
  expect(row("of-Contested")?.contested).toMatchObject([{ managers: ["gitops"], wanted: "1", found: "2" }]);
});

test("lists contested fields before the controller's own fields", () => {
  expect(shown?.find(({ asset }) => asset === "of-Contested")?.fields).toEqual(["/spec/a", "/spec/c"]);
});

test("shows field paths in dotted form, like the command line", () => {
  expect(shown?.find(({ asset }) => asset === "of-Contested")?.contested[0]?.path).toBe("spec.a");
  expect(shown?.find(({ asset }) => asset === "released")?.released).toEqual(["spec.b/c"]);
});

test("reads the HyperConverged in the controller's API version", () => {
  const hco = { kind: "HyperConverged", namespace: "openshift-cnv", name: "kubevirt-hyperconverged" };
  const target = shown?.find(({ asset }) => asset === "switches")?.target ?? { kind: "", name: "" };
  expect(target).toEqual({ ...hco, apiVersion: "hco.kubevirt.io/v1beta1" });
  expect(targetPath(target)).toContain("/v1beta1/");
  expect(targetPath(hco)).toContain("/apis/hco.kubevirt.io/v1/");
});
