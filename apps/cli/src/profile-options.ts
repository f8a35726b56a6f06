// The options of each profile in this build, so that a misspelled one is an error with a suggestion.

import { didYouMean } from "@virt/platform";
import { CliError } from "./verb.ts";

/** By profile: its options by their paths below `spec.options`. Set by the bundler; undefined if the sources run unbundled. */
declare const PROFILE_OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;

/** Undefined: this build does not know them, and the API server decides alone. */
export function optionNames(profile: string, optionsKey: string): readonly string[] | undefined {
  if (typeof PROFILE_OPTIONS === "undefined") return undefined;
  const paths = Object.keys(PROFILE_OPTIONS[profile] ?? {});
  return paths.length === 0 ? undefined : paths.map((path) => path.slice(optionsKey.length + 1));
}

/** Throws for `modde=Predictive` if the profile has no option of that name. */
export function requireOption(profile: string, given: string, names: readonly string[] | undefined): void {
  const [name = ""] = given.split(/[.=]/u, 1);
  if (names === undefined || names.includes(name)) return;
  const hint = didYouMean(name, names) || ".";
  throw new CliError(
    `--set ${given}: ${profile} has no option "${name}"${hint} Available options: ${names.join(", ")}`,
  );
}
