// Events about a rollout that gets stuck or resumes. They never contain VM names, because VM names may be confidential.

import type { EventMessage, RolloutFinding, Status } from "@virt/api";
import { findingCatalogue } from "@virt/impact";
import { shortHash } from "../plan-names.ts";

/** Returns the events. Each cause is reported once per node, regardless of the number of VMs. */
export function rolloutEvents(before: Status, after: Status): readonly EventMessage[] {
  const [was, is] = [blockingOf(before), blockingOf(after)];
  const plan = shortHash(after.planHash);
  const stuck = [...is].flatMap(([key, { id, node }]): readonly EventMessage[] => {
    if (was.has(key)) return [];
    const where = node === undefined ? "" : ` on node ${node}`;
    const note = `The rollout of plan ${plan} is stuck${where}: ${id}. ${causeOf(id)} See status.rollout.findings for the command to run.`;
    return [{ type: "Warning", reason: "RolloutStuck", note }];
  });
  // Findings also disappear if their inputs cannot be read. RolloutResumed is therefore recorded only if all inputs are
  // known.
  const isKnown = after.phase !== "Ignored" && (after.rollout?.notAssessed ?? []).length === 0;
  if (was.size === 0 || is.size > 0 || !isKnown) return stuck;
  return [{ type: "Normal", reason: "RolloutResumed", note: `The rollout of plan ${plan} is no longer blocked` }];
}

function blockingOf({ rollout }: Status): ReadonlyMap<string, RolloutFinding> {
  const blocking = (rollout?.findings ?? []).filter(({ severity }) => severity === "blocking");
  return new Map(blocking.map((finding) => [`${finding.id} ${finding.node ?? ""}`, finding]));
}

/** Returns the cause of a finding. Returns an empty string for findings from other releases. */
function causeOf(id: string): string {
  return Object.entries(findingCatalogue).find(([known]) => known === id)?.[1].cause ?? "";
}
