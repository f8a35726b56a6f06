import type { AuditEvent } from "@virt/testkit";
import { account, type CampaignCluster } from "./campaign-cluster.ts";
import { waitFor } from "./until.ts";

const quietMs = 1_000;
const writeVerbs = ["create", "update", "patch", "delete"];

export async function waitUntilIdle({ audit }: CampaignCluster): Promise<void> {
  const start = Date.now();
  await waitFor("a quiet second", () => {
    const last = audit.events().findLast(isWrite);
    const lastMs = Math.max(start, last === undefined ? 0 : Date.parse(last.stageTimestamp ?? ""));
    return Date.now() - lastMs >= quietMs ? {} : `the last write was ${last?.verb} ${last?.requestURI}`;
  });
}

/** Refused writes count, because a client that retries is not idle. Dry runs do not. */
function isWrite({ verb, user, requestURI }: AuditEvent): boolean {
  return user.username === account && writeVerbs.includes(verb) && !requestURI.includes("dryRun=All");
}
