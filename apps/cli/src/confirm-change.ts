// Shows the changes that a verb is about to make, and asks for confirmation.

import type { Block } from "./blocks.ts";
import { Printer } from "./printer.ts";
import { CliError, type VerbContext } from "./verb.ts";

/** Prints to stderr, so that a preview never mixes with data on stdout. */
export function showBeforeChange(blocks: readonly Block[], { printer }: Pick<VerbContext, "printer">): void {
  const shown = new Printer({
    format: "table",
    isColored: false,
    columns: process.stderr.columns,
    writeData: () => {},
    writeProgress: () => {},
  });
  for (const line of shown.render({ type: "Preview", data: {}, blocks }).trimEnd().split("\n")) printer.progress(line);
}

/** Reports whether the user typed yes. If stdin is not a terminal, throws a CliError that suggests --yes or `otherwise`. */
export async function confirmChange(
  { question, otherwise }: { readonly question: string; readonly otherwise?: string },
  { ask, printer }: Pick<VerbContext, "ask" | "printer">,
): Promise<boolean> {
  const answer = await ask(`${question} Type yes to confirm: `);
  if (answer === undefined)
    throw new CliError(
      `Cannot prompt for confirmation: stdin is not a terminal. Pass --yes.${otherwise === undefined ? "" : ` ${otherwise}`}`,
    );
  if (answer.trim().toLowerCase() === "yes") return true;
  printer.progress("Nothing was changed.");
  return false;
}
