// The public API of the catalog: the recommended configuration as data and pure functions.

import type { Profile } from "@virt/advisor";
import { type Asset, counterpartAlternates, counterpartsOf, isBefore } from "@virt/platform";
import { operationRuleSets } from "./assets/ifo/asset.ts";
import * as listedAssets from "./assets/index.ts";
import { autopilotObjects } from "./autopilot-objects.ts";
import * as listedProfiles from "./profiles/index.ts";

export { advisorAlerts } from "./alerts/advisor.ts";
export { type Alert, rulesFor } from "./alerts/alert.ts";
export { platformAlerts } from "./alerts/platform.ts";
export type { RuleSet } from "./assets/ifo/rule-set.ts";
export { operationRules } from "./assets/ifo/rules.ts";
export { tombstones } from "./assets/tombstones.ts";
export { autopilotObjects } from "./autopilot-objects.ts";
export { operatorPanels } from "./dashboards/operator-panels.ts";
export { type Panel, type PlacedPanel, placePanels } from "./dashboards/panel.ts";
export { type ExpectedPolicy, expectedPolicies } from "./expected-policies.ts";

/** All assets in apply order. Assets with the same target share one object. `example.test.ts` renders one. */
export const assets: readonly Asset[] = [...Object.values(listedAssets), ...operationRuleSets]
  .map(withCounterparts)
  .toSorted((left, right) => (isBefore(left, right) ? -1 : 1));

function withCounterparts(asset: Asset): Asset {
  const counterparts = counterpartsOf(asset, autopilotObjects);
  if (counterparts.length === 0) return asset;
  // A singleton yields to every other object of its kind anyway.
  const added = asset.singleton === true ? [] : counterpartAlternates(asset, counterparts);
  const known = new Set(asset.alternates?.map(({ kind, name }) => `${kind} ${name}`));
  const alternates = [...(asset.alternates ?? []), ...added.filter(({ kind, name }) => !known.has(`${kind} ${name}`))];
  return { ...asset, counterparts, ...(alternates.length > 0 && { alternates }) };
}

/** All profiles, the advertised ones first. `example.test.ts` plans with one. */
export const profiles: readonly Profile[] = Object.values(listedProfiles).toSorted(
  (left, right) => Number(right.isAdvertised) - Number(left.isAdvertised) || (left.name < right.name ? -1 : 1),
);
