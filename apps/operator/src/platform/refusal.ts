// Finds out whether a patch is why the API server refuses an object. Then the object is held, as by any other bad patch.

import { fieldManagers } from "@virt/api";
import type { Outcome } from "@virt/engine";
import { scrubText } from "@virt/kube";
import { type Apply, judge } from "@virt/platform";
import { type Acted, type Acting, failed, permanentMs } from "./acting.ts";

export async function refused(outcome: Outcome, { intent, unpatched }: Apply, acting: Acting): Promise<Acted> {
  const { seen, live, tools, parts, memory, key } = acting;
  if (outcome.kind !== "rejected" || unpatched === undefined) return failed(outcome, acting);
  const write = { manager: fieldManagers.platform, force: true, expect: { uid: live?.metadata.uid ?? "" } };
  const without = await tools.cluster.predict(unpatched, write);
  if (without.kind !== "done") return failed(outcome, acting);
  const askAgainAt = seen.now + permanentMs;
  // What a server says about a refusal may hold what it refused.
  const refusal = { intent, shapeOf: seen.shapeOf, message: scrubText(outcome.message), askAgainAt };
  const knowing = { ...memory, refused: refusal };
  parts.memory.set(key, knowing);
  const verdict = judge({ ...seen, memory: knowing });
  return { kept: { kind: "verdict", verdict }, ending: { kind: "again", atMs: askAgainAt } };
}
