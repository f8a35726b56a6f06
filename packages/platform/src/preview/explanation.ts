// One asset explained: where it stands, every check, and what would change that.

import { leafPaths, writePath } from "@virt/engine";
import type { Asset } from "../asset.ts";
import { shapeOfObject } from "../baseline/see-object.ts";
import type { World } from "../evaluate/world.ts";
import { detectors } from "../hardware.ts";
import { adviceFor } from "./advice.ts";
import { type CheckFound, explainChecks } from "./explain.ts";
import type { Preview } from "./preview.ts";
import { oneLine, tableText } from "./render-text.ts";
import { documentOf, type RowStatus, reasonText, rowsOf } from "./rows.ts";

export type Explanation = {
  readonly asset: string;
  readonly group: string;
  readonly feature: string;
  readonly tier: Asset["tier"];
  readonly object: string;
  readonly impact: Asset["impact"];
  readonly status: RowStatus;
  readonly reason?: string;
  readonly checks: readonly CheckFound[];
  /** Fields of the whole object that would be applied. */
  readonly applies: readonly string[];
  readonly leftOut: readonly string[];
  readonly hardware: Readonly<Record<string, boolean>>;
  readonly advice: readonly string[];
};

/** Undefined: the object has no such asset. */
export function explain(name: string, preview: Preview, world: World): Explanation | undefined {
  const row = rowsOf(preview).find(({ asset }) => asset.name === name);
  if (row === undefined) return undefined;
  const { asset, target, status } = row;
  const checks = explainChecks(asset, world);
  const reason = reasonText(row);
  const standing = preview.evaluated.standings.get(name);
  const document = documentOf(preview);
  return {
    asset: name,
    group: asset.group ?? name,
    feature: asset.feature,
    tier: asset.tier,
    object: target,
    impact: asset.impact,
    status,
    ...(reason !== "" && { reason }),
    checks,
    applies:
      document === undefined || status !== "INCLUDED"
        ? []
        : leafPaths(document, shapeOfObject(preview.object, world)).map(writePath),
    leftOut: standing?.kind === "active" ? standing.leftOut : [],
    hardware: Object.fromEntries(detectors.map((detector) => [detector, world.hardware[detector]])),
    advice: adviceFor(row, checks),
  };
}

const impacts: Readonly<Record<Asset["impact"], string>> = {
  none: "none",
  pods: "pods: some pods start or restart, no node is touched",
  reboot: "reboot: the nodes of its pool are drained and rebooted, one after the other",
};

export function explanationText(told: Explanation): string {
  const { asset, group, feature, tier, object, impact, status, reason, checks, applies, leftOut, advice } = told;
  const seen = Object.entries(told.hardware).map(([detector, isSeen]) => `${detector}=${isSeen}`);
  const head = [
    ["Asset:", `${asset} (group ${group}, feature ${feature}, ${tier})`],
    ["Object:", object],
    ["Impact:", impacts[impact]],
    ["Status:", reason === undefined ? status : `${status}, ${reason}`],
    ["Hardware:", seen.join(" ")],
  ];
  const found = checks.map(({ check, isMet, found, reason }) => [
    isMet ? "ok" : "NO",
    check,
    reason === undefined ? found : `${reason}: ${found}`,
  ]);
  return [
    tableText(head),
    "\nChecks, the first that fails decides:\n",
    indented(tableText(found)),
    section("Fields that would be applied", applies),
    section("Left out, unknown to the installed CRD", leftOut),
    section("What would change this", advice),
  ].join("");
}

function indented(table: string): string {
  return table.replaceAll(/^(?=.)/gm, "  ");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n${title}:\n${lines.map((line) => `  ${oneLine(line)}\n`).join("")}`;
}
