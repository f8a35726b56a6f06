// The platform controller as if it were enabled: the assets that it would apply, and what all of them together do to nodes and VMs.

import type { Impact } from "@virt/api";
import type { Client } from "@virt/kube";
import { type CatalogPreviewInput, previewCatalog } from "./preview-catalog.ts";
import { readCombinedImpact } from "./read-impact.ts";

type EnablementInput = Omit<CatalogPreviewInput, "source" | "activation" | "isAssumedEnabled"> & {
  readonly client: Client;
  readonly signal: AbortSignal;
};

/** `impact` is null if no node changes. */
export type Enablement = { readonly assets: readonly string[]; readonly impact: Impact | null };

/** Reads with the rights of the user. Throws a PreviewError where a person can help. Nothing is written. */
export async function previewEnablement({ client, signal, ...input }: EnablementInput): Promise<Enablement> {
  const source = { kind: "cluster", client, signal } as const;
  const all = await previewCatalog({ ...input, source, activation: undefined, isAssumedEnabled: true });
  const assets = all.rows.flatMap(({ status, asset }) => (status === "INCLUDED" ? [asset.name] : []));
  const impact = await readCombinedImpact({ ...all, client, signal, now: input.now });
  return { assets, impact: impact ?? null };
}
