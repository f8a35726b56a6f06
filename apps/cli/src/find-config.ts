// Finds the config that the user names, or explains why there is none.

import { configKind, type VirtPlatformConfig } from "@virt/api";
import { didYouMean } from "@virt/platform";
import { findNamedPlan, planName } from "@virt/views";
import { CliError, exitCodes, type VerbContext } from "./verb.ts";

/** Loads the catalog, which is slow, so call it only if no config has the given name. */
export async function listCatalogProfiles() {
  const { profiles } = await import("@virt/catalog");
  return profiles.map(({ name, optionsKey }) => ({ name, optionsKey }));
}

/** Returns undefined if the profile has no config. Throws for an unknown profile, with suggestions. */
export async function findConfig({ words, session }: VerbContext): Promise<VirtPlatformConfig | undefined> {
  const [name = ""] = words;
  const config = isName(name) ? await session().readConfig(name) : undefined;
  if (config !== undefined) return config;
  const names = (await listCatalogProfiles()).map((profile) => profile.name);
  if (names.includes(name)) return undefined;
  const hint = didYouMean(name, names) || ".";
  throw new CliError(`profile "${name}" not found${hint} Available profiles: ${names.join(", ")}`);
}

export async function requireConfig(context: VerbContext): Promise<VirtPlatformConfig> {
  const config = await findConfig(context);
  if (config !== undefined) return config;
  const [name = ""] = context.words;
  throw new CliError(
    `${configKind.kind} ${name} does not exist yet. To create it, run: ${context.program} plan ${name}`,
  );
}

/** Rejects invalid object names before they are sent. */
function isName(name: string): boolean {
  return /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/u.test(name);
}

export function hasPlan({ status }: VirtPlatformConfig): boolean {
  return status?.planHash !== undefined && status.phase !== "Ignored";
}

/** Returns the current plan hash. Throws an error with exit code 3 if `named` is the hash of a different plan. */
export function requirePlan(config: VirtPlatformConfig, named: string | undefined, program: string): string {
  const { name } = config.metadata;
  const shown = config.status?.planHash;
  if (shown === undefined || !hasPlan(config))
    throw new CliError(
      `${name} has no plan. To draft one, run: ${program} plan ${name}`,
      named === undefined ? exitCodes.error : exitCodes.refused,
    );
  if (named === undefined) return shown;
  const plan = findNamedPlan(named, [shown, config.spec.approvedPlan]);
  if (plan.kind === "malformed")
    throw new CliError(`--hash ${named}: enter the first 12 to 64 hexadecimal digits of the plan hash`);
  if (plan.kind === "ambiguous")
    throw new CliError(`--hash ${named}: matches more than one plan of ${name}. Enter all 64 digits`);
  if (plan.kind === "found" && plan.planHash === shown) return shown;
  throw movedPlan(name, named, shown, program);
}

/** Returns the error for a plan that has changed. It exits with code 3, before any write. */
export function movedPlan(name: string, named: string, shown: string | undefined, program: string): CliError {
  const now = shown === undefined ? "there is no current plan" : `the current plan is ${planName(shown)}`;
  return new CliError(
    `${name}: plan ${planName(named)} is out of date: ${now}. Nothing was changed. To see the current state, run: ${program} status ${name}`,
    exitCodes.refused,
  );
}
