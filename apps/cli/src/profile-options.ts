// The options of each profile. Used to reject a misspelled option and suggest the correct name.

import { didYouMean } from "@virt/platform";
import { CliError } from "./verb.ts";

/** Option paths below `spec.options`, by profile. Set by the bundler. Undefined when running from source. */
declare const PROFILE_OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;

/** Dotted paths of options whose values are strings, by profile. Set by the bundler, like `PROFILE_OPTIONS`. */
declare const TEXT_OPTIONS: Readonly<Record<string, readonly string[]>> | undefined;

/** Returns undefined for a profile that this build does not know. Then only the API server validates its options. */
export function optionNames(profile: string, optionsKey: string): readonly string[] | undefined {
  if (typeof PROFILE_OPTIONS === "undefined") return undefined;
  const paths = Object.keys(PROFILE_OPTIONS[profile] ?? {});
  return paths.length === 0 ? undefined : paths.map((path) => path.slice(optionsKey.length + 1));
}

export function requireOption(profile: string, given: string, names: readonly string[] | undefined): void {
  const [name = ""] = given.split(/[.=]/u, 1);
  if (names === undefined || names.includes(name)) return;
  const hint = didYouMean(name, names) || ".";
  throw new CliError(
    `--set ${given}: ${profile} has no option "${name}"${hint} Available options: ${names.join(", ")}`,
  );
}

/** Returns the options of the profile whose values are strings, so that `51` is not read as a number. */
export function textOptions(profile: string): readonly string[] {
  return typeof TEXT_OPTIONS === "undefined" ? [] : (TEXT_OPTIONS[profile] ?? []);
}
