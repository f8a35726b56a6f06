// Shows what a verb is about to change, and asks. Without a terminal a flag has to decide.

import { type Block, Printer } from "./printer.ts";
import { CliError, type VerbContext } from "./verb.ts";

/** Prints to stderr: what is shown before a decision is no data. */
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

/** Returns true if the user typed yes. `otherwise`: another way for scripts. Throws a CliError if there is no terminal. */
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
