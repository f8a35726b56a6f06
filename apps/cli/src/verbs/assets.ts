// `assets`: prints the platform controller's report, asset by asset.

import { autopilotName } from "@virt/api";
import type { AssetState } from "@virt/cluster";
import { asList, asText, at, type Json } from "@virt/objects";
import { didYouMean, reportName } from "@virt/platform";
import { findReports } from "@virt/reads";
import {
  type AssetStateRow,
  assetDetailLines,
  assetStateRows,
  autopilotText,
  foreignText,
  type PlatformOperators,
  platformOperators,
} from "@virt/views";
import { type Block, nextBlock, type TextStyle, textBlock } from "../blocks.ts";
import { type SortKeys, sortRows } from "../sort-rows.ts";
import { CliError, exitCodes, type RunVerb, type VerbContext } from "../verb.ts";

export const showAssets: RunVerb = async (context) => {
  const { words, printer, flag, program } = context;
  const report = await readReport(context);
  const [name] = words;
  const rows = sortRows(assetStateRows(report), flag("sort-by"), sortKeys);
  const chosen = name === undefined ? rows : rows.filter((row) => row.assets.includes(name));
  if (name !== undefined && chosen.length === 0) {
    const names = rows.flatMap((row) => row.assets);
    const hint = didYouMean(name, names) || ".";
    throw new CliError(`asset "${name}" not found${hint} Available assets: ${names.join(", ")}`);
  }
  const operators = platformOperators(report);
  const items = chosen.map(({ key, entry, ...row }) => ({ ...row, reportedAs: key, fields: entry }));
  printer.print({
    type: "AssetList",
    names: chosen.flatMap(({ assets }) => assets),
    data: {
      activation: at(report, "activation") ?? null,
      autopilot: at(report, "autopilot") ?? null,
      hardwareChanges: at(report, "hardwareChanges") ?? [],
      items,
    },
    blocks:
      name === undefined
        ? [
            textBlock(...autopilotLines(operators), ...controllerLines(report)),
            assetTable(chosen),
            ...nextBlocks(report, operators, program),
          ]
        : chosen.map(assetDetails),
  });
  return exitCodes.done;
};

const sortKeys: SortKeys<AssetStateRow> = {
  asset: ({ assets }) => assets.join(","),
  object: ({ object }) => object,
  state: ({ state }) => state,
  "managed-by": ({ managedBy }) => managedBy,
  why: ({ why }) => why,
};

async function readReport({ session, flag, program, signal }: VerbContext): Promise<Json> {
  const found = await findReports(session().client, signal, flag("namespace"));
  const [report] = found.reports;
  const text = asText(at(report ?? null, "data", "report.json"));
  if (text === undefined && found.refusal !== undefined)
    throw new CliError(`cannot read the platform controller's report: ${foreignText(found.refusal, 300)}`);
  if (text === undefined)
    throw new CliError(
      `no report from the platform controller found in ${placesText(found.namespaces)}: it is not running there. Try: ${program} assets -n NAMESPACE, or ${program} render to see what it would apply`,
    );
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const place = report?.metadata.namespace ?? "";
    throw new CliError(`the report ${place}/${reportName} is not valid JSON`, exitCodes.error, error);
  }
}

function placesText(namespaces: readonly string[] | undefined): string {
  if (namespaces === undefined) return "any namespace";
  return `${namespaces.length === 1 ? "namespace" : "namespaces"} ${namespaces.join(" and ")}`;
}

function autopilotLines(operators: PlatformOperators | undefined): readonly string[] {
  const text = operators && autopilotText(operators);
  return text === undefined ? [] : [text];
}

function controllerLines(report: Json): readonly string[] {
  const state = at(report, "activation", "isActive") === true ? "active" : "idle";
  const mode = asText(at(report, "activation", "mode")) ?? "unknown";
  const changes = asList(at(report, "hardwareChanges")).map((change) => foreignText(hardwareChangeText(change)));
  return [`The platform controller is ${state} (activation ${mode})`, ...changes];
}

function hardwareChangeText(change: Json): string {
  const [name, countsAt] = ["name", "countsAt"].map((key) => asText(at(change, key)) ?? "unknown");
  const [counted, seen] = ["counted", "seen"].map((key) => JSON.stringify(at(change, key) ?? "unknown"));
  return `Hardware change: ${name} from ${counted} to ${seen}. It takes effect at ${countsAt}, unless it changes back`;
}

function nextBlocks(report: Json, operators: PlatformOperators | undefined, program: string): readonly Block[] {
  if (operators?.autopilot === "Active" && operators.autopilotObjects > 0)
    return [nextBlock(`to move objects of ${autopilotName} to this operator, run: ${program} adopt`)];
  if (at(report, "activation", "isActive") === true) return [];
  return [nextBlock(`to see the combined impact and enable the platform controller, run: ${program} enable`)];
}

const stateStyles: Readonly<Record<AssetState, TextStyle>> = {
  "In sync": "good",
  Drifted: "warning",
  Contested: "warning",
  "On hold": "warning",
  Paused: "warning",
  Unmanaged: "dim",
  "Not applicable": "dim",
  Failed: "bad",
};

function assetTable(rows: readonly AssetStateRow[]): Block {
  return {
    kind: "table",
    head: ["ASSET", "OBJECT", "STATE", "MANAGED BY", "WHY"],
    rows: rows.map(({ assets, object, state, managedBy, why }) => [
      assets.join(","),
      object,
      { text: state, style: stateStyles[state] },
      foreignText(managedBy) || "-",
      foreignText(why),
    ]),
    wide: { head: ["REPORTED AS"], rows: rows.map(({ key }) => [key]) },
  };
}

function assetDetails(row: AssetStateRow): Block {
  const title = { text: row.assets.join(", "), style: "bold" } as const;
  return textBlock(title, ...assetDetailLines(row).map((line) => `  ${line}`));
}
