// Previews the platform controller as if it were enabled: the applied assets and their combined impact.

import type { Impact, KubeObject } from "@virt/api";
import type { Client } from "@virt/kube";
import { reasonText } from "@virt/platform";
import { type CatalogPreviewInput, previewCatalog, requireAsset } from "./preview-catalog.ts";
import { readCombinedImpact } from "./read-impact.ts";

type EnablementInput = Omit<CatalogPreviewInput, "source" | "activation" | "enabling"> & {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Names of assets. Default: all assets. */
  readonly names?: readonly string[];
};

/** The effects of enabling. `impact` is null if no nodes are affected. */
export type Enablement = {
  readonly assets: readonly string[];
  readonly impact: Impact | null;
  /** Assets that were named but would still not be applied. */
  readonly excluded: readonly { readonly asset: string; readonly why: string }[];
  readonly hco: KubeObject;
  /** The value of the annotation to set on the HyperConverged. Absent: already enabled. */
  readonly activation?: string;
};

/** Reads with the user's permissions and writes nothing. Throws a PreviewError that tells the user what to fix. */
export async function previewEnablement(given: EnablementInput): Promise<Enablement> {
  const { client, signal, names = [], ...input } = given;
  const source = { kind: "cluster", client, signal } as const;
  const all = await previewCatalog({ ...input, source, activation: undefined, enabling: names });
  for (const name of names) requireAsset(all, name);
  const included = all.rows.filter(({ status }) => status === "INCLUDED");
  const missing = all.rows.filter(({ status, asset }) => status !== "INCLUDED" && names.includes(asset.name));
  const impact = await readCombinedImpact({ ...all, client, signal, now: input.now });
  return {
    assets: included.map(({ asset }) => asset.name),
    impact: impact ?? null,
    excluded: missing.map((row) => ({ asset: row.asset.name, why: reasonText(row) })),
    hco: all.hco,
    ...(all.activation !== undefined && { activation: all.activation }),
  };
}
