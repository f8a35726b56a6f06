// `assets`: the report of the platform controller, asset by asset: state, why not, overrides, contested fields.

import { foreignText } from "@virt/client";
import { didYouMean, type Report as PlatformReport, reportName } from "@virt/platform";
import { platformNamespace } from "../platform-namespace.ts";
import type { Block, StyledText } from "../printer.ts";
import { CliError, exitCodes, type RunVerb, type VerbContext } from "../verb.ts";

export const showAssets: RunVerb = async (context) => {
  const { words, printer } = context;
  const report = await readReport(context);
  const [name] = words;
  const rows = assetRows(report);
  const chosen = name === undefined ? rows : rows.filter((row) => row.assets.includes(name));
  if (name !== undefined && chosen.length === 0) {
    const names = rows.flatMap((row) => row.assets);
    throw new CliError(`there is no asset "${name}"${didYouMean(name, names)}. The assets are ${names.join(", ")}`);
  }
  printer.print({
    type: "AssetList",
    data: { activation: report.activation, items: chosen },
    blocks: name === undefined ? [activation(report), assetTable(chosen)] : chosen.flatMap(assetDetails),
  });
  return exitCodes.done;
};

async function readReport({ session, flag, program }: VerbContext): Promise<PlatformReport> {
  const namespace = flag("namespace") ?? platformNamespace;
  const found = await session().readConfigMap(namespace, reportName);
  const text = (found?.["data"] as { readonly [key: string]: unknown } | undefined)?.["report.json"];
  if (typeof text !== "string")
    throw new CliError(
      `there is no report of the platform controller in namespace ${namespace}: it does not run there. Try: ${program} assets -n NAMESPACE, or ${program} render to see what it would apply`,
    );
  try {
    return JSON.parse(text) as PlatformReport;
  } catch (error) {
    throw new CliError(`the report ${namespace}/${reportName} is not JSON`, exitCodes.error, error);
  }
}

type ReportedAsset = {
  readonly assets: readonly string[];
  readonly object: string;
  readonly state: string;
  readonly reason: string;
  readonly details: string;
  readonly fields: { readonly [key: string]: unknown };
};

function assetRows({ objects, exclusions }: PlatformReport): readonly ReportedAsset[] {
  const applied = objects
    .filter(({ assets }) => assets.length > 0)
    .map((row): ReportedAsset => {
      const contested = row.contested.map(({ path, managers }) => `${path} (${managers.join(", ")})`).join(", ");
      const details = row.lastError ?? row.held ?? (contested === "" ? "" : `contested: ${contested}`);
      return { assets: row.assets, object: row.object, state: row.status, reason: "", details, fields: { ...row } };
    });
  const left = exclusions.map(({ asset, target, reason, details }): ReportedAsset => {
    const fields = { asset, target, reason, details };
    return { assets: [asset], object: target, state: "Excluded", reason, details, fields };
  });
  return [...applied, ...left];
}

function activation({ activation: { mode, isActive } }: PlatformReport): Block {
  return {
    kind: "lines",
    lines: [[`The platform controller is ${isActive ? "active" : "idle"} (activation ${mode})`]],
  };
}

function assetTable(rows: readonly ReportedAsset[]): Block {
  return {
    kind: "table",
    head: ["ASSET", "OBJECT", "STATE", "WHY"],
    rows: rows.map(({ assets, object, state, reason, details }) => [
      assets.join(","),
      object,
      state,
      foreignText([reason, details].filter((part) => part !== "").join(": ")),
    ]),
  };
}

function assetDetails({ assets, object, fields }: ReportedAsset): readonly Block[] {
  const lines = Object.entries(fields).flatMap(([key, value]): StyledText[][] => {
    const isEmpty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
    return isEmpty
      ? []
      : [[`  ${key}: ${foreignText(typeof value === "string" ? value : JSON.stringify(value), 600)}`]];
  });
  return [{ kind: "lines", lines: [[{ text: assets.join(", "), style: "bold" }, `   ${object}`], ...lines] }];
}
