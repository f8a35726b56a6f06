// Formats the output of `render`: YAML documents and a table of assets.

import type { KubeObject } from "@virt/api";
import { writeYaml } from "@virt/objects";
import { shorten } from "../annotation-values.ts";
import type { Asset } from "../asset.ts";
import type { ManagedBy } from "./managed-by.ts";
import type { Preview } from "./preview.ts";
import { type AssetRow, documentOf, type RowStatus, reasonText, rowStatuses, rowsOf } from "./rows.ts";
import { worst } from "./words.ts";

/** An asset in the output of the command `render`. `object` is absent unless it is included. */
export type RenderEntry = {
  readonly asset: string;
  readonly path: string;
  readonly component: string;
  readonly status: RowStatus;
  readonly reason?: string;
  readonly managedBy: ManagedBy;
  readonly impact: Asset["impact"];
  readonly object?: KubeObject;
};

/** The assets to render. Without `asset`, all of them. */
export type RenderChoice = {
  readonly asset?: string | undefined;
  readonly showExcluded: boolean;
};

/** Returns one entry per applied object. With two documents for the same object, the second apply would undo the first. */
export function renderEntries(previews: readonly Preview[], choice: RenderChoice): readonly RenderEntry[] {
  const isShown = (rows: readonly AssetRow[]) =>
    choice.asset === undefined
      ? choice.showExcluded || rows.some(({ status }) => status === "INCLUDED" || status === "ERROR")
      : rows.some(({ asset }) => asset.name === choice.asset);
  return previews.flatMap((preview) => {
    const rows = rowsOf(preview);
    const included = rows.filter(({ status }) => status === "INCLUDED");
    const others = rows.filter(({ status }) => status !== "INCLUDED").map((row) => [row]);
    const groups = included.length === 0 ? others : [included, ...others];
    return groups.filter(isShown).flatMap((group) => entryOf(group, preview) ?? []);
  });
}

function entryOf(rows: readonly AssetRow[], preview: Preview): RenderEntry | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const object = first.status === "INCLUDED" ? documentOf(preview) : undefined;
  const reason = reasonText(first);
  return {
    asset: rows.map(({ asset }) => asset.name).join(","),
    path: rows.map(({ asset }) => `catalog/assets/${asset.folder ?? asset.name}/asset.ts`).join(","),
    component: first.kind,
    status: first.status,
    ...(reason !== "" && { reason }),
    managedBy: first.managedBy,
    impact: worst(rows.map(({ asset }) => asset.impact)),
    ...(object && { object }),
  };
}

/** Returns YAML for `kubectl apply` and `oc diff`. Assets that are not applied are comments. */
export function renderDocuments(entries: readonly RenderEntry[]): string {
  return entries.map(documentText).join("");
}

function documentText({ asset, path, component, status, reason, object }: RenderEntry): string {
  const comment = {
    Asset: asset,
    Path: path,
    Component: component,
    Status: status,
    ...(reason !== undefined && { Reason: reason }),
  };
  const comments = Object.entries(comment).map(([key, value]) => `# ${key}: ${oneLine(value)}\n`);
  return ["---\n", ...comments, object === undefined ? "" : writeYaml(object)].join("");
}

/** Replaces line breaks and control characters. Untrusted text must not end a YAML comment or control a terminal. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

// The maximum width of a reason. Longer ones would push the impact off the screen. `exclusions` and `explain` show them
// completely.
const widest = 72;

/** Returns the table of assets with a summary line. */
export function renderStatus(rows: readonly AssetRow[]): string {
  const lines = rows.map((row) => [
    row.asset.name,
    row.status,
    row.kind,
    shorten(reasonText(row), widest),
    row.asset.impact,
  ]);
  const [included, excluded, filtered, errors] = rowStatuses.map(
    (status) => rows.filter((row) => row.status === status).length,
  );
  const summary = `Summary: ${included} included, ${excluded} excluded, ${filtered} filtered, ${errors} errors\n`;
  return `${tableText([["ASSET", "STATUS", "COMPONENT", "REASON", "IMPACT"], ...lines])}\n${summary}`;
}

/** Aligns columns. An empty cell becomes a dash. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell) || "-"));
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => (row[at] ?? "").length)));
  return cells
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("   "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
