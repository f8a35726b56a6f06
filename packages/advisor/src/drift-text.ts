// What a drift is, in one sentence.

import type { ItemSeen } from "./observed.ts";

export function driftText(drifted: readonly ItemSeen[]): string {
  const parts = drifted.map(
    ({ item: { targetRef }, drift }) => `${targetRef.kind} '${targetRef.name}': ${drift?.fields.join(", ") ?? ""}`,
  );
  return `Configuration has drifted from desired state: ${parts.join("; ")}`;
}
