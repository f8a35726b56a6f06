// What other packages use of the advisor's core.

export { namespaceText, optionsOf } from "./blocked.ts";
export { type Compared, composeDraft } from "./compose-draft.ts";
export { conditionIs, conditionOf } from "./conditions/read.ts";
export type { Drifts, PassFacts } from "./facts.ts";
export { isStale, reviewedNow } from "./hashes.ts";
export { isMachineConfig } from "./items.ts";
export { movedSinceApplied, movedSinceDrafted } from "./moved-inputs.ts";
export { type News, newsOf } from "./news.ts";
export { observe } from "./observe.ts";
export type { Again, Decision, Draft, Drift, Effect, Observed } from "./observed.ts";
export { plannedItems } from "./plan.ts";
export type { Input, PlannedItem } from "./planned-item.ts";
export { type AnyFacts, defineProfile, type Need, type Profile, type Refusal, type Target } from "./profile.ts";
export {
  besideHco,
  type FactOf,
  type Facts,
  type HcoFact,
  hco,
  type KernelFact,
  kernelArguments,
  namespace,
  nodes,
  object,
  pools,
  type Read,
  type Reads,
  schema,
} from "./reads.ts";
export { type Done, record } from "./record.ts";
export { retrying } from "./retrying.ts";
export { type Suspect, suspects } from "./suspects.ts";
export { transition } from "./transition.ts";
export { wantsDraft } from "./wants-draft.ts";
