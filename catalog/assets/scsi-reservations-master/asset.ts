// Lets VMs on control plane nodes use SCSI persistent reservations on multipath disks.

import { defineAsset, topologyIs } from "@virt/platform";
import { reservationsFor } from "../scsi-reservations.ts";

const reservations = reservationsFor("master");

export default defineAsset({
  ...reservations,
  name: "scsi-reservations-master",
  conditions: [...reservations.conditions, topologyIs("hasSchedulableMasters")],
});
