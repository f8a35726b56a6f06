import { expect, test } from "vitest";
import { autopilotLeaseOf } from "./autopilot-lease.ts";

const now = Date.parse("2026-01-01T00:01:00Z");
const lease = (namespace: string, spec: object) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "virt-platform-autopilot.kubevirt.io", namespace },
  spec: { leaseDurationSeconds: 15, ...spec },
});
const shown = "openshift-cnv/virt-platform-autopilot.kubevirt.io";
const fresh = "2026-01-01T00:00:50.000000Z";
const old = "2026-01-01T00:00:40.000000Z";

test("names the holder while the lease is valid", () => {
  expect(autopilotLeaseOf([lease("openshift-cnv", { holderIdentity: "pod-1", renewTime: fresh })], now)).toEqual({
    kind: "held",
    lease: shown,
    holder: "pod-1",
    renewedAt: fresh,
  });
});

test("an expired lease names its last holder", () => {
  const expired = lease("openshift-cnv", { holderIdentity: "pod-1", renewTime: old });
  expect(autopilotLeaseOf([expired], now)).toMatchObject({ kind: "expired", holder: "pod-1" });
});

test("a released lease has no holder", () => {
  const released = lease("openshift-cnv", { holderIdentity: "", renewTime: fresh });
  expect(autopilotLeaseOf([released], now)).toEqual({ kind: "free", lease: shown });
  expect(autopilotLeaseOf([], now)).toEqual({ kind: "absent" });
});

test("the lease with the latest renewal counts", () => {
  const leases = [
    lease("kubevirt-hyperconverged", { holderIdentity: "pod-0", renewTime: old }),
    lease("openshift-cnv", { holderIdentity: "pod-1", renewTime: fresh }),
  ];
  expect(autopilotLeaseOf(leases, now)).toMatchObject({ lease: shown, holder: "pod-1" });
});
