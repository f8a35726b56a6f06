// `render` and `explain`: run the platform controller's code to preview its writes, from files or a live cluster.

import { assets, profiles } from "@virt/catalog";
import {
  type AssetRow,
  explanationText,
  type RowStatus,
  reasonText,
  renderDocuments,
  renderEntries,
} from "@virt/platform";
import { type CatalogPreviewInput, explainPreview, PreviewError, previewCatalog, requireAsset } from "@virt/reads";
import { type Block, nextBlock, type TextStyle, textBlock } from "../blocks.ts";
import { CliError, exitCodes, type RunVerb, type VerbContext } from "../verb.ts";

export const renderAssets: RunVerb = (context) =>
  withPreviewErrors(async () => {
    const { printer, flag, program } = context;
    const preview = await previewCatalog(previewInput(context));
    const asset = flag("asset");
    if (asset !== undefined) requireAsset(preview, asset);
    const rows = preview.rows.filter((row) => asset === undefined || row.asset.name === asset);
    const entries = renderEntries(preview.previews, { asset, showExcluded: true });
    for (const note of preview.notes) printer.progress(note);
    // Plain documents, for `render -o yaml | kubectl diff -f -`.
    if (printer.format === "yaml") printer.printText(renderDocuments(entries));
    else printer.print({ type: "Render", data: { items: entries }, blocks: renderBlocks(rows, program) });
    const errors = rows.filter(({ status }) => status === "ERROR").length;
    if (errors > 0) throw new CliError(`${errors} of ${rows.length} assets cannot be rendered`);
    return exitCodes.done;
  });

const statusStyles: Readonly<Record<RowStatus, TextStyle>> = {
  INCLUDED: "good",
  EXCLUDED: "dim",
  FILTERED: "warning",
  ERROR: "bad",
};

function renderBlocks(rows: readonly AssetRow[], program: string): readonly Block[] {
  const count = (status: RowStatus) => rows.filter((row) => row.status === status).length;
  const reboots = rows.filter(({ status, asset }) => status === "INCLUDED" && asset.impact === "reboot").length;
  const left = rows.find(({ status }) => status !== "INCLUDED");
  return [
    {
      kind: "table",
      head: ["ASSET", "STATUS", "KIND", "IMPACT", "MANAGED BY", "WHY"],
      rows: rows.map((row) => [
        row.asset.name,
        { text: row.status, style: statusStyles[row.status] },
        row.kind,
        row.asset.impact,
        row.managedBy,
        reasonText(row) || "-",
      ]),
    },
    textBlock(
      `${count("INCLUDED")} included (${reboots} with node reboots), ${count("EXCLUDED")} excluded, ${count("FILTERED")} filtered, ${count("ERROR")} errors`,
    ),
    ...(left === undefined ? [] : [nextBlock(`${program} explain ${left.asset.name}`)]),
  ];
}

export const explainAssetVerb: RunVerb = (context) =>
  withPreviewErrors(async () => {
    const { words, printer, now } = context;
    const [name = ""] = words;
    const input = previewInput(context);
    const preview = await previewCatalog(input);
    const source =
      input.source.kind === "cluster"
        ? input.source
        : ({ kind: "none", notAsked: "the preview uses files; omit --hco-file to query the cluster" } as const);
    const explanation = await explainPreview(name, preview, source, now());
    for (const note of preview.notes) printer.progress(note);
    const lines = explanationText(explanation).trimEnd().split("\n");
    printer.print({ type: "Explanation", data: explanation, blocks: [textBlock(...lines)] });
    return exitCodes.done;
  });

function previewInput({ flag, all, readFile, session, signal, environment, now }: VerbContext): CatalogPreviewInput {
  const hco = flag("hco-file");
  const facts = all("facts-file");
  return {
    catalog: { assets, profiles },
    source:
      hco === undefined
        ? { kind: "cluster", client: session().client, signal }
        : { kind: "files", files: { hco, facts, read: readFile } },
    environment,
    ownNamespace: flag("namespace"),
    hcoNamespace: "",
    activation: undefined,
    now: now(),
  };
}

export async function withPreviewErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PreviewError) throw new CliError(error.message, exitCodes.error, error);
    throw error;
  }
}
