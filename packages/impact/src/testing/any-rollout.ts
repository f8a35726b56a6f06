import fc from "fast-check";
import type { RolloutNode, RolloutPool } from "../rollout.ts";

export const pool: RolloutPool = { name: "worker", wanted: "new", isPaused: false };

export const rolloutNode = (name: string, given: Partial<RolloutNode> = {}): RolloutNode => ({
  name,
  current: "old",
  desired: "old",
  phase: "Updated",
  isReady: true,
  isCordoned: false,
  ...given,
});

const config = fc.constantFrom("old", "new");
const anyNode = fc.record({
  current: config,
  desired: config,
  phase: fc.constantFrom("Updated", "Draining", "Applying", "Rebooting", "Degraded"),
  isReady: fc.boolean(),
  isCordoned: fc.boolean(),
  zone: fc.constantFrom("1", "2"),
});
export const anyNodes = fc
  .array(anyNode, { maxLength: 6 })
  .map((nodes) => nodes.map((each, at): RolloutNode => ({ ...each, name: `n${at}` })));
export const anyPool = fc
  .record({ isPaused: fc.boolean(), maxUnavailable: fc.constantFrom(1, 2, 3, "50%", "100%") })
  .map((given): RolloutPool => ({ ...pool, ...given }));
