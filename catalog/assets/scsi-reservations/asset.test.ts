import { expect, test } from "vitest";
import { assetFacts, hcoWith, renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const file = `defaults {
    reservation_key file
}
`;

test("stores the reservation keys of multipath disks in a file", () => {
  expect(renderedAsset(asset)).toBe(`apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  labels:
    machineconfiguration.openshift.io/role: worker
  name: 50-virt-multipath-reservation
spec:
  config:
    ignition:
      version: 3.2.0
    storage:
      files:
      - contents:
          source: data:text/plain;charset=utf-8;base64,${Buffer.from(file).toString("base64")}
        mode: 420
        overwrite: true
        path: /etc/multipath/conf.d/reservation.conf
`);
});

test("warns while the HyperConverged does not enable persistent reservations", () => {
  const enabled = { storage: { persistentReservationConfiguration: { enabled: true } } };
  const warningsWith = (hco: ReturnType<typeof hcoWith>) => asset.warnings?.(assetFacts(asset, { hco }));
  expect(warningsWith(hcoWith("v1", {}, enabled))).toEqual([]);
  expect(warningsWith(hcoWith("v1beta1", {}, { featureGates: { persistentReservation: true } }))).toEqual([]);
  expect(warningsWith(hcoWith("v1"))).toEqual([expect.stringContaining("persistentReservationConfiguration.enabled")]);
});

test("yields to the MachineConfig that virt-platform-autopilot applies for the same purpose", () => {
  expect(asset.alternates?.map(({ name }) => name)).toEqual(["99-worker-multipath-reservation-key"]);
});
