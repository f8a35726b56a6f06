// `plan`: requests a plan, waits for it and prints it.

import { configKind, type Json, type JsonMap, type Phase, type Spec, type VirtPlatformConfig } from "@virt/api";
import { planPatches } from "@virt/views";
import { findConfig, listCatalogProfiles } from "../find-config.ts";
import { readFlagDuration } from "../flag-values.ts";
import { planBlocks, planData } from "../plan-blocks.ts";
import { optionNames, requireOption, textOptions } from "../profile-options.ts";
import { CliError, type ExitCode, exitCodes, type RunVerb, type VerbContext } from "../verb.ts";

export const planProfile: RunVerb = async (context) => {
  const { words, printer, now, program } = context;
  const [name = ""] = words;
  const existing = await findConfig(context);
  const asked = await askForPlan(name, existing, context);
  const isShown = isSettled(asked) && !isBeingAssessed(asked);
  const config = isShown ? asked : await waitForPlan(name, asked.metadata.generation ?? 0, context);
  const blocks = planBlocks(config, { now: now(), program, isWide: printer.format === "wide" });
  printer.print({ type: "Plan", data: planData(config, now()), blocks });
  return exitOf(config);
};

async function askForPlan(
  name: string,
  existing: VirtPlatformConfig | undefined,
  { all, session, printer }: VerbContext,
): Promise<VirtPlatformConfig> {
  const given = all("set");
  const options = given.length === 0 ? undefined : await optionsWith(name, existing?.spec.options, given);
  if (existing === undefined) {
    const spec = { profile: name, action: "DryRun", ...(options !== undefined && { options }) };
    const made = { apiVersion: configKind.apiVersion, kind: configKind.kind, metadata: { name }, spec };
    return session().createConfig(made);
  }
  let config = existing;
  for (const patch of planPatches(existing, options)) {
    const result = await session().patchConfig(name, patch);
    if (result.kind === "patched") ({ config } = result);
  }
  if (config !== existing) printer.progress(`${name}: requested a plan`);
  return config;
}

/**
 * Merges the given options into the existing ones. Values are parsed as JSON if possible, otherwise as strings. For an
 * option of type string, only a quoted value counts as JSON.
 */
async function optionsWith(name: string, there: Spec["options"], given: readonly string[]): Promise<Spec["options"]> {
  const key = (await listCatalogProfiles()).find((profile) => profile.name === name)?.optionsKey;
  if (key === undefined) throw new CliError(`profile ${name} has no options`);
  for (const one of given) requireOption(name, one, optionNames(name, key));
  const texts = textOptions(name);
  return {
    ...there,
    [key]: given.reduce<JsonMap>((options, one) => withOption(options, one, texts), there?.[key] ?? {}),
  };
}

export function withOption(options: JsonMap, given: string, texts: readonly string[] = []): JsonMap {
  const [, path, text = ""] = /^([\w.]+)=(.*)$/su.exec(given) ?? [];
  if (path === undefined) throw new CliError(`--set ${given}: use the form key=value`);
  const value = readValue(text);
  const isQuoted = typeof value === "string" || value === null; // null removes an option
  return setMember(options, path.split("."), texts.includes(path) && !isQuoted ? text : value);
}

function setMember(map: JsonMap, [first = "", ...rest]: readonly string[], value: Json): JsonMap {
  if (rest.length === 0) return { ...map, [first]: value };
  const inner = map[first];
  const isMap = typeof inner === "object" && inner !== null && !Array.isArray(inner);
  return { ...map, [first]: setMember(isMap ? (inner as JsonMap) : {}, rest, value) };
}

function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

const settled: ReadonlySet<Phase | undefined> = new Set([
  "ReviewRequired",
  "Completed",
  "CompletedWithErrors",
  "Failed",
  "PrerequisiteFailed",
]);

/** Reports whether the advisor has finished processing the last edit. */
function isSettled({ metadata, status }: VirtPlatformConfig): boolean {
  return settled.has(status?.phase) && status?.observedGeneration === metadata.generation;
}

/** The time to wait for the impact, which the advisor usually publishes a few seconds after the plan. */
const assessmentMs = 10_000;

function isBeingAssessed({ status }: VirtPlatformConfig): boolean {
  return status?.phase === "ReviewRequired" && (status.disruption ?? []).length > 0 && status.impact === undefined;
}

/** Waits for the plan and its impact. After `assessmentMs`, returns the plan without the impact. */
async function waitForPlan(name: string, generation: number, { session, flag, signal, printer, program }: VerbContext) {
  const timeoutMs = readFlagDuration(flag("timeout") ?? "60s", "timeout");
  const late = new CliError(
    `${name}: no plan after ${timeoutMs / 1000} seconds. Check that the advisor is running, then run: ${program} status ${name}`,
    exitCodes.timedOut,
  );
  const assessmentOver = new AbortController();
  const over = new Promise<"over">((resolve) => {
    for (const each of [AbortSignal.timeout(timeoutMs), assessmentOver.signal, signal])
      each.addEventListener("abort", () => resolve("over"), { once: true });
  });
  let plan: VirtPlatformConfig | undefined;
  const notices = session().watchConfigs();
  for (;;) {
    const next = await Promise.race([notices.next(), over]);
    if (next === "over" || next.done === true) {
      if (plan === undefined || signal.aborted) throw late;
      return plan;
    }
    if (next.value.kind === "lost") printer.progress(`${next.value.message}; retrying`);
    if (next.value.kind !== "configs") continue;
    const config = next.value.configs.find(({ metadata }) => metadata.name === name);
    if (config === undefined || (config.metadata.generation ?? 0) < generation || !isSettled(config)) continue;
    if (!isBeingAssessed(config)) return config;
    if (plan === undefined) {
      printer.progress(`${name}: plan drafted; waiting for the impact assessment`);
      setTimeout(() => assessmentOver.abort(), assessmentMs).unref();
    }
    plan = config;
  }
}

function exitOf({ status }: VirtPlatformConfig): ExitCode {
  if (status?.phase === "ReviewRequired") return exitCodes.reviewNeeded;
  return status?.phase === "Completed" ? exitCodes.done : exitCodes.failed;
}
