// Generates docs/assets.md from the catalog's assets.

import { assets } from "@virt/catalog";
import { type Asset, conditionWords, isOnByDefault, neededCrds, switchWords } from "@virt/platform";
import { featureTable } from "./feature-table.ts";
import { code, line, word } from "./markdown.ts";
import { valueTables } from "./value-table.ts";

export function assetTable(): string {
  return [
    "# Assets and features of the platform controller",
    "",
    "This page is for administrators who choose the assets that the platform controller manages. It lists each feature and asset with its",
    "switch, requirements, impact, and values.",
    "",
    "Generated from `catalog/assets` (`make generate`). Switches and device lists are annotations on the HyperConverged with the prefix",
    "`platform.kubevirt.io/`. The controller applies features that are on by default as soon as it is active. Features with impact *reboot*",
    "reboot nodes when they are applied. To preview the objects, run `kubectl virt-advisor render`. To find out why an asset is applied or not,",
    "run `kubectl virt-advisor explain <asset>`.",
    "",
    "The maturity levels are GA (supported), TP (technology preview), and DP (developer preview).",
    "",
    "## Features",
    "",
    ...featureTable(),
    "",
    "## Assets",
    "",
    "The table lists the assets in the order in which the controller applies them. The controller merges assets with the same object and applies them together.",
    "",
    "| asset | group | tier | object | switch | conditions | impact | needs |",
    "|---|---|---|---|---|---|---|---|",
    ...assets.map(assetLine),
    "",
    "## Values",
    "",
    "This section lists the values that each asset writes, with their reason and source. It assumes example devices and a pod network with room for 500",
    "pods on each node, and it covers all known releases of the operators. The controller omits a field that the installed release does not know. To see the",
    "values for your cluster, run `kubectl virt-advisor render`.",
    "",
    ...valueTables(assets),
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
