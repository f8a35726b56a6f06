// `features`: what people can switch, and, where there is something to look at, what of it is in force.

import { type FeatureRow, type FeatureState, featureRows, featureStates, tableText } from "@virt/platform";
import type { Arguments, Command, Surroundings } from "./command.ts";
import { formatOf, inputFlags, outputFlag } from "./input-flags.ts";
import { printed } from "./print.ts";
import { sceneFor } from "./scene.ts";

export const features: Command = {
  summary: "list the features; with a cluster or files, also what of them is in force",
  flags: { ...inputFlags, ...outputFlag("yaml") },
  run: async (args, surroundings) => {
    const format = formatOf(args);
    const { rows, notes } = await statesOf(args, surroundings);
    return { out: format === "status" ? tableOf(rows) : printed(rows, format), notes };
  },
};

type Row = FeatureRow & Partial<FeatureState>;

async function statesOf(args: Arguments, surroundings: Surroundings) {
  const rows: readonly Row[] = featureRows(surroundings.catalog);
  const isAsked = ["kubeconfig", "hco-file", "facts-file"].some((flag) => args.all(flag).length > 0);
  if (!isAsked) return { rows, notes: [] };
  const scene = await sceneFor(args, surroundings);
  return { rows: featureStates(rows, scene.rows) as readonly Row[], notes: scene.notes };
}

function tableOf(rows: readonly Row[]): string {
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
