// What other packages use of the catalog: all that good configuration is, as data and pure functions.

import type { Profile } from "@virt/advisor";
import { type Asset, isBefore } from "@virt/platform";
import * as listedAssets from "./assets/index.ts";
import * as listedProfiles from "./profiles/index.ts";

export { advisorAlerts } from "./alerts/advisor.ts";
export { type Alert, rulesFor } from "./alerts/alert.ts";
export { platformAlerts } from "./alerts/platform.ts";
export { tombstones } from "./assets/tombstones.ts";
export { type ExpectedPolicy, expectedPolicies } from "./expected-policies.ts";

/**
 * What the platform controller may keep, in the order in which it is applied. Assets with one target are parts of one object.
 * `example.test.ts` renders one.
 */
export const assets: readonly Asset[] = Object.values(listedAssets).toSorted((left, right) =>
  isBefore(left, right) ? -1 : 1,
);

/** What the advisor can plan, what is advertised first. `example.test.ts` plans with one. */
export const profiles: readonly Profile[] = Object.values(listedProfiles).toSorted(
  (left, right) => Number(right.isAdvertised) - Number(left.isAdvertised) || (left.name < right.name ? -1 : 1),
);
