import { expect, test } from "vitest";
import { renderedAsset } from "../../testing/asset-facts.ts";
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
    machineconfiguration.openshift.io/role: master
  name: 50-virt-multipath-reservation-master
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

test("is applied only if control plane nodes may run VMs", () => {
  expect(asset.conditions).toContainEqual({ type: "topology", field: "hasSchedulableMasters", value: "true" });
});
