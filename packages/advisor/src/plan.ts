// What the profile plans from the facts of a pass.

import { optionsOf } from "./blocked.ts";
import type { PassFacts } from "./facts.ts";
import type { Input, PlannedItem } from "./planned-item.ts";

export function plannedItems(facts: PassFacts): readonly PlannedItem[] {
  return facts.profile?.plan(optionsOf(facts.profile, facts), facts.facts) ?? [];
}

export function plannedInputs(facts: PassFacts): readonly Input[] {
  return facts.profile?.inputs(optionsOf(facts.profile, facts), facts.facts) ?? [];
}
