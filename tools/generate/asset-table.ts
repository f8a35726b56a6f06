// docs/assets.md: what the platform controller can keep, from the declarations of the catalog.

import { assets } from "@virt/catalog";
import { type Asset, conditionWords, isOnByDefault, neededCrds, switchWords } from "@virt/platform";
import { featureTable } from "./feature-table.ts";
import { code, line, word } from "./markdown.ts";
import { valueTable } from "./value-table.ts";

export function assetTable(): string {
  return [
    "# Assets and features of the platform controller",
    "",
    "For administrators who choose what the platform controller keeps: each feature and asset, with its switch, needs, impact and values.",
    "",
    "Generated from `catalog/assets` (`make generate`). Switches and device lists are annotations on the HyperConverged,",
    "under `platform.kubevirt.io/`. A feature that is on by default applies as soon as the operator is active; those with",
    "impact *reboot* reboot workers when they are applied. `kubectl virt-advisor render` shows beforehand what would be applied,",
    "`kubectl virt-advisor explain <asset>` why.",
    "",
    "GA: supported. TP: technology preview. DP: developer preview.",
    "",
    "## Features",
    "",
    ...featureTable(),
    "",
    "## Assets",
    "",
    "In the order in which they are applied. Assets with the same object are parts of it, applied as one.",
    "",
    "| asset | group | tier | object | switch | conditions | impact | needs |",
    "|---|---|---|---|---|---|---|---|",
    ...assets.map(assetLine),
    "",
    "## Values",
    "",
    "The values that each asset writes, with their reason and source. The page shows them for example devices, for a pod network with room for 500",
    "pods on a node, and for all releases of the operators that we know. A field that a release does not know is left out. For the values in your cluster, run",
    "`kubectl virt-advisor render`.",
    "",
    ...assets.flatMap(valueTable),
  ].join("\n");
}

function assetLine(asset: Asset): string {
  const { name, group, tier, target, conditions = [], impact } = asset;
  const place = target.namespace === undefined ? "" : ` in ${places[target.namespace] ?? code(target.namespace)}`;
  const turned =
    asset.switch === undefined ? "none" : `${word(switchWords(asset))}, ${isOnByDefault(asset) ? "on" : "off"}`;
  return line(
    code(name),
    code(group ?? name),
    tier,
    `${target.kind} \`${target.name}\`${place}`,
    turned,
    conditions.map(conditionWords).join("; ") || "none",
    impact,
    neededCrds(asset).map(code).join(", ") || "none",
  );
}

const places: Readonly<Record<string, string>> = {
  $hco: "its own namespace",
  $operator: "the operator's namespace",
};
