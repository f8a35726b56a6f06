// The platform controller, as far as it is there: it holds its lease and does nothing yet.

import { fieldManagers } from "@virt/api";
import type { Resident } from "../housing.ts";

export const platformResident: Resident = {
  name: "platform",
  fieldManager: fieldManagers.platform,
  eventRepeatMs: 60_000,
  move: () => ({
    controller: { name: "platform", keysFor: () => [], pass: () => Promise.resolve({ kind: "done" }) },
    wants: () => [],
  }),
};
