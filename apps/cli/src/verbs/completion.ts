import { didYouMean } from "@virt/platform";
import { completionScript, completionShells } from "../completion-script.ts";
import { CliError, exitCodes, type RunVerb } from "../verb.ts";

export const printCompletion: RunVerb = ({ words, printer }) => {
  const [given = ""] = words;
  const shell = completionShells.find((one) => one === given);
  if (shell === undefined)
    throw new CliError(
      `unsupported shell "${given}"${didYouMean(given, completionShells) || "."} Supported shells: ${completionShells.join(", ")}`,
    );
  printer.printText(completionScript(shell));
  return Promise.resolve(exitCodes.done);
};
