import { assetStates } from "@virt/cluster";
import { expect, test } from "vitest";
import { assetDetailLines, assetStateRows } from "./asset-rows.ts";

const object = (status: string, more: object = {}) => ({
  object: `Thing ${status}`,
  status,
  assets: [status],
  ...more,
});
const left = (reason: string, details = "") => ({ asset: reason, target: `Thing ${reason}`, reason, details });

const report = {
  objects: [
    object("InSync"),
    object("Pending"),
    object("Held", { held: "RebootGate: 3 VMs block" }),
    object("Paused"),
    object("Unmanaged"),
    object("Failed", { lastError: "the server refuses it" }),
    object("Contested", { contested: [{ path: "/spec/a", managers: ["gitops"], wanted: "1", found: "2" }] }),
    object("Excluded"),
  ],
  exclusions: [left("Paused", "an edit war"), left("CRDMissing", "things.a.io"), left("NotActivated")],
};

test("every asset has a known state and a reason", () => {
  const rows = assetStateRows(report);
  expect(rows.map(({ assets, state, why }) => `${assets.join()}: ${state}, ${why}`)).toEqual([
    "InSync: In sync, the object matches the catalog",
    "Pending: Drifted, a correction is pending",
    "Held: On hold, RebootGate: 3 VMs block",
    "Paused: Paused, writes are paused (Paused): an edit war",
    "Unmanaged: Unmanaged, an annotation or label excludes the object from management",
    "Failed: Failed, the server refuses it",
    "Contested: Contested, spec.a (owned by gitops)",
    "CRDMissing: Not applicable, its operator is not installed (CRDMissing): things.a.io",
    "NotActivated: Unmanaged, the platform controller is disabled (NotActivated)",
  ]);
  for (const { state } of rows) expect(assetStates).toContain(state);
});

test("assets that the annotation does not list share one reason", () => {
  const listed = ["aaq-operator", "swap-enable"].map((asset) => ({
    ...left("NotListed", `annotation platform.kubevirt.io/virt-platform-operator lists neither ${asset} nor its group`),
    asset,
  }));
  expect(new Set(assetStateRows({ exclusions: listed }).map(({ why }) => why))).toEqual(
    new Set([
      "annotation platform.kubevirt.io/virt-platform-operator lists neither the asset nor its group (NotListed)",
    ]),
  );
});

test("each asset names the manager of its object, also if it is not applied", () => {
  const managed = (name: string, managedBy: string, assets: readonly string[]) => ({
    ...object(assets.length === 0 ? "Excluded" : "InSync"),
    object: name,
    managedBy,
    assets,
  });
  const rows = assetStateRows({
    objects: [
      managed("Thing ours", "virt-platform-operator", ["a"]),
      managed("Thing theirs", "virt-platform-autopilot", []),
      managed("Thing governed", "VirtPlatformConfig/p", []),
    ],
    exclusions: ["theirs", "governed", "unknown"].map((asset) => ({
      ...left("ManagedByOther"),
      asset,
      target: `Thing ${asset}`,
    })),
  });
  expect(rows.map(({ assets, managedBy }) => `${assets.join()}: ${managedBy}`)).toEqual([
    "a: virt-platform-operator",
    "theirs: virt-platform-autopilot",
    "governed: VirtPlatformConfig/p",
    "unknown: ",
  ]);
  expect(rows.map(assetDetailLines)[1]).toContain("Managed by: virt-platform-autopilot");
});

test("a repeated correction shows the field and the other client", () => {
  const [row] = assetStateRows({ objects: [object("Pending", { fights: { "/spec/minHealthy|gitops": 4 } })] });
  expect(row?.why).toBe("spec.minHealthy was corrected 4 times after gitops changed it");
});

test("an object in sync with contested fields is contested", () => {
  const contested = [{ path: "/spec/minHealthy", managers: ["gitops"], wanted: '"51%"', found: '"40%"' }];
  const [row] = assetStateRows({ objects: [object("InSync", { contested })] });
  expect(row).toMatchObject({ state: "Contested", why: "spec.minHealthy (owned by gitops)" });
  expect(row === undefined ? [] : assetDetailLines(row)).toEqual([
    "Object: Thing InSync",
    "State: Contested",
    "Reason: spec.minHealthy (owned by gitops)",
    "Contested fields:",
    '  spec.minHealthy (owned by gitops): wanted "51%", found "40%"',
  ]);
});

test("shows no rows if the content is not a report", () => {
  for (const other of [null, "x", [], {}, { objects: 1, exclusions: [3] }]) expect(assetStateRows(other)).toEqual([]);
});
