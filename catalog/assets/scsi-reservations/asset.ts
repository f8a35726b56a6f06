// Lets VMs on workers use SCSI persistent reservations on multipath disks.

import { defineAsset } from "@virt/platform";
import { reservationsFor } from "../scsi-reservations.ts";

export default defineAsset({ ...reservationsFor("worker"), name: "scsi-reservations" });
