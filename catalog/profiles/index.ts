// The profiles there are, one line each.

import type { Profile } from "@virt/advisor";
import exampleProfile from "./example-profile/profile.ts";
import loadAwareRebalancing from "./load-aware-rebalancing/profile.ts";
import virtHigherDensity from "./virt-higher-density/profile.ts";

export const profiles: readonly Profile[] = [loadAwareRebalancing, virtHigherDensity, exampleProfile];
