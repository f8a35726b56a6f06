// The read-only commands `render`, `explain`, `exclusions` and `features`.

import { type Access, Client, NoClusterError } from "@virt/kube";
import {
  exclusionsOf,
  explanationText,
  type FeatureRow,
  type FeatureState,
  featureRows,
  featureStates,
  renderDocuments,
  renderEntries,
  renderStatus,
  tableText,
} from "@virt/platform";
import {
  type CatalogPreview,
  type CatalogPreviewInput,
  type ExplainSource,
  explainPreview,
  previewCatalog,
  requireAsset,
} from "@virt/reads";
import { leasePlace } from "../identity.ts";
import {
  accessForCommand,
  type Command,
  type CommandArguments,
  type CommandContext,
  CommandError,
  type CommandResult,
  formatData,
  inputFlags,
  outputFlag,
  outputFormatOf,
} from "./command.ts";

export const renderCommand: Command = {
  summary: "print the objects that would be applied, and why each is included or excluded",
  flags: {
    ...inputFlags,
    asset: { type: "text", default: "", help: "only this asset" },
    "show-excluded": { type: "boolean", default: false, help: "include assets that are not applied, as comments" },
    ...outputFlag("yaml"),
  },
  run: async (args, context): Promise<CommandResult> => {
    const format = outputFormatOf(args);
    const preview = await previewFor(args, context);
    const asset = args.text("asset") || undefined;
    if (asset !== undefined) requireAsset(preview, asset);
    const rows = preview.rows.filter((row) => asset === undefined || row.asset.name === asset);
    const entries = renderEntries(preview.previews, { asset, showExcluded: args.text("show-excluded") === "true" });
    const errors = rows.filter(({ status }) => status === "ERROR").length;
    return {
      out:
        format === "status"
          ? renderStatus(rows)
          : format === "yaml"
            ? renderDocuments(entries)
            : formatData(entries, format),
      notes: preview.notes,
      ...(errors > 0 && { failure: `${errors} of ${rows.length} assets cannot be rendered` }),
    };
  },
};

export const explainCommand: Command = {
  takes: "<asset>",
  summary: "explain why an asset is applied or not, and how to change that",
  flags: { ...inputFlags, ...outputFlag("status") },
  run: async (args, context) => {
    const format = outputFormatOf(args);
    const [name] = args.words;
    if (name === undefined) throw new CommandError("explain requires the name of an asset");
    return withSource(args, context, async (source) => {
      const all = await previewCatalog(previewInput(args, context, source));
      const server: ExplainSource =
        source.kind === "cluster"
          ? source
          : { kind: "none", notAsked: "no cluster was given; pass --kubeconfig to send a dry run" };
      const explanation = await explainPreview(name, all, server, context.now());
      const out = format === "status" ? explanationText(explanation) : formatData(explanation, format);
      return { out, notes: all.notes };
    });
  },
};

export const exclusionsCommand: Command = {
  summary: "list the assets that are not applied, with the reason for each",
  flags: { ...inputFlags, ...outputFlag("yaml") },
  run: async (args, context) => {
    const format = outputFormatOf(args);
    const { rows, notes } = await previewFor(args, context);
    const all = exclusionsOf(rows);
    const lines = all.map(({ asset, group, target, reason, details }) => [asset, group, target, reason, details]);
    const table = () => tableText([["ASSET", "GROUP", "TARGET", "REASON", "DETAILS"], ...lines]);
    return { out: format === "status" ? table() : formatData(all, format), notes };
  },
};

export const featuresCommand: Command = {
  summary: "list the features; with a cluster or files, also show which are active",
  flags: { ...inputFlags, ...outputFlag("yaml") },
  run: async (args, context) => {
    const format = outputFormatOf(args);
    const { rows, notes } = await readFeatureStates(args, context);
    return { out: format === "status" ? featureTable(rows) : formatData(rows, format), notes };
  },
};

type FeatureStateRow = FeatureRow & Partial<FeatureState>;

async function readFeatureStates(args: CommandArguments, context: CommandContext) {
  const rows: readonly FeatureStateRow[] = featureRows(context.catalog.assets);
  const isAsked = ["kubeconfig", "hco-file", "facts-file"].some((flag) => args.all(flag).length > 0);
  if (!isAsked) return { rows, notes: [] };
  const preview = await previewFor(args, context);
  return { rows: featureStates(rows, preview.rows) as readonly FeatureStateRow[], notes: preview.notes };
}

function featureTable(rows: readonly FeatureStateRow[]): string {
  const head = ["FEATURE", "MATURITY", "DEFAULT", "SWITCH", "IMPACT", "ASSETS", "NEEDS", "DESCRIPTION"];
  const lines = rows.map((row) => [
    row.feature,
    row.maturity,
    row.default,
    row.switch,
    row.impact,
    row.active === undefined ? `${row.assets.length}` : `${row.active.length} of ${row.assets.length} active`,
    row.operators.join(", "),
    row.description,
  ]);
  return tableText([head, ...lines]);
}

function previewFor(args: CommandArguments, context: CommandContext): Promise<CatalogPreview> {
  return withSource(args, context, (source) => previewCatalog(previewInput(args, context, source)));
}

type PreviewSource = CatalogPreviewInput["source"];

/** Runs `work` on files or on a cluster. Closes the client afterwards. */
async function withSource<T>(
  args: CommandArguments,
  context: CommandContext,
  work: (source: PreviewSource) => Promise<T>,
): Promise<T> {
  const { readFile, version } = context;
  const [kubeconfig, hco, facts] = [args.text("kubeconfig"), args.text("hco-file"), args.all("facts-file")];
  if (kubeconfig !== "" && hco !== "") throw new CommandError("--kubeconfig and --hco-file are mutually exclusive");
  if (hco !== "") return work({ kind: "files", files: { hco, facts, read: readFile } });
  if (facts.length > 0) throw new CommandError("--facts-file requires --hco-file");
  const userAgent = `virt-operator/${version} (command)`;
  const client = new Client({ access: accessOrRefusal(args, context), userAgent });
  try {
    return await work({ kind: "cluster", client, signal: new AbortController().signal });
  } finally {
    client.close();
  }
}

function accessOrRefusal(args: CommandArguments, context: CommandContext): Access {
  try {
    return accessForCommand(args, context);
  } catch (error) {
    if (!(error instanceof NoClusterError)) throw error;
    throw new CommandError("either --kubeconfig or --hco-file must be specified", { cause: error });
  }
}

function previewInput(
  args: CommandArguments,
  { catalog, environment, now }: CommandContext,
  source: PreviewSource,
): CatalogPreviewInput {
  const { namespace: ownNamespace } = leasePlace("platform", environment["POD_NAMESPACE"], undefined);
  const isGiven = args.all("activation").length > 0;
  return {
    catalog,
    source,
    environment,
    ownNamespace,
    hcoNamespace: args.text("hco-namespace"),
    activation: isGiven ? (args.text("activation") === "opt-in" ? "opt-in" : "always") : undefined,
    now: now(),
  };
}
