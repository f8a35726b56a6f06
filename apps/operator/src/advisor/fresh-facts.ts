// Puts targets that were just read in the place of what the caches showed: a plan and its hashes come from one look.

import type { AnyFacts, HcoFact, PassFacts } from "@virt/advisor";
import type { KubeObject } from "@virt/api";
import { targetKey } from "@virt/engine";
import type { Lives } from "./draft.ts";

export function withFresh(facts: PassFacts, lives: Lives): PassFacts {
  const { live, profile } = facts;
  const fresh = Object.entries(profile?.reads ?? {}).flatMap(([name, read]): [string, AnyFacts[string]][] => {
    if (read.read === "object" && lives.has(targetKey(read.ref))) return [[name, lives.get(targetKey(read.ref))]];
    if (read.read === "hco") return [[name, freshHco(facts.facts[name] as HcoFact, lives)]];
    return [];
  });
  return {
    ...facts,
    facts: { ...facts.facts, ...Object.fromEntries(fresh), ownNamespace: facts.facts.ownNamespace },
    live: (ref) => (lives.has(targetKey(ref)) ? lives.get(targetKey(ref)) : live(ref)),
  };
}

function freshHco(fact: HcoFact, lives: Lives): HcoFact {
  const isIt = (object: KubeObject | undefined) =>
    object?.kind === "HyperConverged" && object.apiVersion === fact.apiVersion;
  const read = [...lives.values()].find(isIt);
  return read === undefined ? fact : { ...fact, object: read };
}
