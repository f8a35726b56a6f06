// Shared by the assets that let VMs use SCSI persistent reservations on multipath disks.

import { hco } from "@virt/cluster";
import { type AssetHcoFact, topology } from "@virt/platform";
import {
  assetMachineConfigTarget,
  ignition,
  ignitionFile,
  machineConfigAsset,
  nodeChange,
  withMachineConfigs,
} from "./machine-config.ts";

// This text is written to nodes. A changed byte reboots them.
const reservationFile = `defaults {
    reservation_key file
}
`;

/** Returns the asset for a pool, without its name and additional conditions. */
export function reservationsFor(role: "worker" | "master") {
  const name = `50-virt-multipath-reservation${role === "master" ? "-master" : ""}`;
  const config = {
    ignition,
    storage: { files: [ignitionFile("/etc/multipath/conf.d/reservation.conf", reservationFile)] },
  };
  const content = machineConfigAsset(name, role, { config });
  return {
    ...nodeChange,
    group: "scsi-reservations",
    feature: {
      name: "scsi-reservations",
      description: "SCSI persistent reservations on multipath disks, for clusters of VMs that share a disk",
      maturity: "DP",
    },
    tier: "advanced",
    phase: 2,
    order: 15,
    target: assetMachineConfigTarget(name),
    content: { object: content },
    switch: { annotation: "enable-scsi-persistent-reservations", default: "off" },
    conditions: withMachineConfigs,
    reads: { hco: hco(), topology: topology() },
    purpose: "multipath-reservation",
    alternates: [assetMachineConfigTarget(`99-${role}-multipath-reservation-key`)],
    warnings: ({ hco: { persistentReservation } }: { readonly hco: AssetHcoFact }) =>
      persistentReservation ? [] : [missingHelper],
    values: {
      "metadata.labels": {
        reason: "The pool that applies the MachineConfig.",
        source: "Machine Config Operator",
      },
      ignition: {
        reason: "The version that every supported release accepts.",
        source: "Machine Config Operator",
      },
      "storage.files": {
        reason: "The multipath daemon stores the reservation key of each disk, so that every path uses the same key.",
        source: "Red Hat solution 7106114",
      },
    },
    render: () => content,
  } as const;
}

const missingHelper =
  "VMs cannot use SCSI persistent reservations yet. Next: set spec.storage.persistentReservationConfiguration.enabled (v1beta1: spec.featureGates.persistentReservation) to true in the HyperConverged";
