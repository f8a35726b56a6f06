// The catalogue of findings: the causes that can block a rollout, with age thresholds, messages and remedies.

import { drainFindings } from "./catalogue-drains.ts";
import { nodeFindings } from "./catalogue-nodes.ts";
import { poolFindings } from "./catalogue-pools.ts";

/** All findings, in the order of docs/stuck-rollouts.md. */
export const findingCatalogue = { ...poolFindings, ...drainFindings, ...nodeFindings } as const;

/** The id of a finding. It is part of the API, metrics and events. */
export type FindingId = keyof typeof findingCatalogue;
