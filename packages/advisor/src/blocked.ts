// Why nothing can be planned: the profile, what it needs, or its options.

import type { JsonMap } from "@virt/api";
import type { PassFacts } from "./facts.ts";
import type { Observed } from "./observed.ts";
import type { Need, Profile } from "./profile.ts";

export function blockedBy(facts: PassFacts): Observed["blocked"] {
  const { profile, config, isServed, missingNamespace } = facts;
  if (profile === undefined) {
    const name = config.spec.profile;
    return { kind: "other", message: `Profile not found: profile "${name}" not found` };
  }
  const given = optionsOf(profile, facts);
  const missing = profile.needs(given).filter((need) => !isServed(need));
  if (missing.length > 0) return { kind: "missing", message: missingText(missing) };
  const refusal = profile.refuse(given, facts.facts);
  if (refusal?.kind === "missing") return { kind: "other", message: missingText([refusal.need]) };
  if (refusal?.kind === "invalid") return { kind: "other", message: `Invalid config: ${refusal.message}` };
  return missingNamespace === undefined ? undefined : { kind: "other", message: namespaceText(missingNamespace) };
}

export function namespaceText(namespace: string): string {
  return `Namespace '${namespace}' does not exist`;
}

/** What the person set for this profile, as it is stored. */
export function optionsOf({ optionsKey }: Profile, { config }: Pick<PassFacts, "config">): JsonMap | undefined {
  return optionsKey === undefined ? undefined : config.spec.options?.[optionsKey];
}

function missingText(needs: readonly Need[]): string {
  const lines = needs.map(({ kind, shown, remedy }) => `  - ${kind} (${shown}): ${remedy}\n`);
  return ["Missing required dependencies:\n", ...lines].join("");
}
