// CRDs that were missing and have come: what can be applied now.

import type { Scene } from "./scene.ts";
import { normal, type Told } from "./tell.ts";

/** By CRD, the assets that wait for it. */
export type MissingCrds = ReadonlyMap<string, readonly string[]>;

type Seen = Pick<Scene, "objects" | "evaluate">;

export function missingCrds({ objects, evaluate }: Seen): MissingCrds {
  const missing = new Map<string, string[]>();
  for (const object of objects)
    for (const [asset, standing] of evaluate(object).standings)
      if (standing.kind === "excluded" && standing.reason === "CRDMissing")
        missing.set(standing.details, [...(missing.get(standing.details) ?? []), asset]);
  return missing;
}

export type Come = {
  /** CRDs that are there. */
  readonly crds: ReadonlySet<string>;
  /** Assets that are left out, whatever the reason. */
  readonly excluded: ReadonlySet<string>;
};

/** An asset may wait no longer because nobody wants it any more: that is no discovery. */
export function discoveredNews(before: MissingCrds, { crds, excluded }: Come): readonly Told[] {
  return [...before].flatMap(([crd, assets]) => {
    const ready = assets.filter((asset) => !excluded.has(asset));
    if (!crds.has(crd) || ready.length === 0) return [];
    return normal("CRDDiscovered", `CRD ${crd} discovered, ${listed(ready)} assets can now be reconciled`);
  });
}

export function excludedAssets({ objects, evaluate }: Seen): ReadonlySet<string> {
  const standings = objects.flatMap((object) => [...evaluate(object).standings]);
  return new Set(standings.flatMap(([asset, { kind }]) => (kind === "excluded" ? [asset] : [])));
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
