import type { Status } from "@virt/api";
import type { AuditEvent } from "@virt/testkit";
import { loadAware } from "../support/advisor.ts";
import { psiItem } from "../support/advisor-suite.ts";
import type { CampaignCluster, ProxiedOperator } from "./campaign-cluster.ts";
import { waitFor } from "./until.ts";
import { render, rollOut } from "./worker-pool.ts";

/** Waits after each step for the operator's status, so that runs are comparable. */
export async function runLoadAware({ testCluster, audit }: CampaignCluster, operator: ProxiedOperator): Promise<void> {
  const { configs, server } = testCluster;
  const says = (what: string, isSaid: (status: Status) => boolean) =>
    waitFor(what, () => {
      const status = lastStatus(audit.events());
      return isSaid(status) ? status : summary(status);
    });
  await configs.create(loadAware, { action: "DryRun" });
  await operator.start();
  await says("the review", ({ phase }) => phase === "ReviewRequired");
  await configs.edit(loadAware, { action: "Apply" });
  await says("both items", (status) => isWaiting(status, "has not rendered"));
  await render(server);
  await says("the rollout", (status) => isWaiting(status, "is processing changes"));
  await rollOut(server);
  await says("the end", ({ phase }) => phase === "Completed");
}

/** Reads the audit log, because polling the status would cost as much as the run. */
function lastStatus(events: readonly AuditEvent[]): Status {
  const written = events.findLast(
    ({ objectRef, responseStatus }) =>
      objectRef?.name === loadAware && objectRef.subresource === "status" && responseStatus?.code === 200,
  );
  return (written?.responseObject as { readonly status?: Status } | undefined)?.status ?? {};
}

function isWaiting({ items = [] }: Status, words: string): boolean {
  return items.every(({ name, state, message }) =>
    name === psiItem ? state === "InProgress" && message.includes(words) : state === "Completed",
  );
}

function summary({ phase, items = [], conditions = [] }: Status): string {
  const said = conditions.filter(({ status }) => status === "True").map(({ type, message }) => `${type}: ${message}`);
  return JSON.stringify({ phase, items: items.map((one) => `${one.name}: ${one.state}, ${one.message}`), said });
}
