// The public API of the catalog: the recommended configuration as data and pure functions.

import type { Profile } from "@virt/advisor";
import { type Asset, isBefore } from "@virt/platform";
import * as listedAssets from "./assets/index.ts";
import * as listedProfiles from "./profiles/index.ts";

export { advisorAlerts } from "./alerts/advisor.ts";
export { type Alert, rulesFor } from "./alerts/alert.ts";
export { platformAlerts } from "./alerts/platform.ts";
export { tombstones } from "./assets/tombstones.ts";
export { type ExpectedPolicy, expectedPolicies } from "./expected-policies.ts";

/** All assets in apply order. Assets with the same target share one object. `example.test.ts` renders one. */
export const assets: readonly Asset[] = Object.values(listedAssets).toSorted((left, right) =>
  isBefore(left, right) ? -1 : 1,
);

/** All profiles, the advertised ones first. `example.test.ts` plans with one. */
export const profiles: readonly Profile[] = Object.values(listedProfiles).toSorted(
  (left, right) => Number(right.isAdvertised) - Number(left.isAdvertised) || (left.name < right.name ? -1 : 1),
);
