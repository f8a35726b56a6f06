// Reads the end state of a run without values that differ between runs: times, UIDs, versions and their hashes.

import type { Status } from "@virt/api";
import { loadAware } from "../support/advisor.ts";
import { type CampaignCluster, targets } from "./campaign-cluster.ts";

export type EndState = Readonly<Record<string, unknown>>;

export async function endState({ testCluster: { server, configs } }: CampaignCluster): Promise<EndState> {
  const paths = Object.entries(targets);
  const specs = paths.map(async ([name, path]) => {
    const { body } = await server.request({ path });
    return [name, (body as { readonly spec?: unknown }).spec] as const;
  });
  const status = await configs.status(loadAware);
  return { ...Object.fromEntries(await Promise.all(specs)), ...steady(status) };
}

function steady({ phase, planHash, items = [], conditions = [], review }: Status): EndState {
  return {
    phase,
    planHash,
    review,
    items: items.map(({ name, state, message, diff, managedFields }) => ({
      name,
      state,
      message,
      diff,
      managedFields,
    })),
    conditions: conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message })),
  };
}
