// Looks at targets that seem to have moved under a plan: a stream shows an object by the schema that was in force when it was
// sent, and a newer CRD may add fields to it without any event.

import { isStale, type PassFacts } from "@virt/advisor";
import type { KubeObject } from "@virt/api";
import { targetKey } from "@virt/engine";
import type { Reader } from "@virt/kube";
import { withFresh } from "./fresh-facts.ts";

/** What cannot be read stays as the caches show it. */
export async function confirmStale(facts: PassFacts, cluster: Reader): Promise<PassFacts> {
  const { phase, items = [] } = facts.config.status ?? {};
  if (phase !== "ReviewRequired" && phase !== "InProgress") return facts;
  const moved = items.filter((item) => item.state === "Pending" && isStale(item, facts.live(item.targetRef)));
  const lives = new Map<string, KubeObject | undefined>();
  for (const { targetRef } of moved) {
    const reading = await cluster.read(targetRef);
    if (reading.kind === "found") lives.set(targetKey(targetRef), reading.object);
    if (reading.kind === "absent") lives.set(targetKey(targetRef), undefined);
  }
  return lives.size === 0 ? facts : withFresh(facts, lives);
}
