// The catalogue of findings: what may hold a rollout, from which age on it is reported, in which words, and what a person does about it.

import { drainFindings } from "./catalogue-drains.ts";
import { nodeFindings } from "./catalogue-nodes.ts";
import { poolFindings } from "./catalogue-pools.ts";

/** Every finding by its id, in the order of the documents. */
export const findingCatalogue = { ...poolFindings, ...drainFindings, ...nodeFindings } as const;

/** The name of a finding: part of the API, of metrics and of events. */
export type FindingId = keyof typeof findingCatalogue;
