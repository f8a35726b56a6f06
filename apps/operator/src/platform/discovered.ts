// CRDs that were missing and have come: what can be applied now.

import type { Scene } from "./scene.ts";
import { normal, type Told } from "./tell.ts";

/** By CRD, the assets that wait for it. */
export type MissingCrds = ReadonlyMap<string, readonly string[]>;

export function missingCrds({ objects, evaluate }: Pick<Scene, "objects" | "evaluate">): MissingCrds {
  const missing = new Map<string, string[]>();
  for (const object of objects)
    for (const [asset, standing] of evaluate(object).standings)
      if (standing.kind === "excluded" && standing.reason === "CRDMissing")
        missing.set(standing.details, [...(missing.get(standing.details) ?? []), asset]);
  return missing;
}

/** An asset that waits for another CRD by now cannot be applied yet. */
export function discoveredNews(before: MissingCrds, now: MissingCrds): readonly Told[] {
  const waiting = new Set([...now.values()].flat());
  return [...before].flatMap(([crd, assets]) => {
    const ready = assets.filter((asset) => !waiting.has(asset));
    if (now.has(crd) || ready.length === 0) return [];
    return normal("CRDDiscovered", `CRD ${crd} discovered, ${listed(ready)} assets can now be reconciled`);
  });
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
