// The preview of an adoption as the local console server sends it to its pages, and the lines of its progress.

import type { Impact } from "@virt/api";
import { asList, asText, isMap, type Json } from "@virt/objects";

/** The request of a page. `isBack`: return the objects to virt-platform-autopilot. */
export type AdoptionQuery = { readonly isBack: boolean; readonly replaced: readonly string[] };

/** A row of the preview. `replaceWith` is the asset that can replace the object. */
export type AdoptionViewRow = {
  readonly object: string;
  readonly ours: string;
  readonly equal: string;
  readonly action: string;
  readonly reboots: number;
  readonly why: string;
  readonly replaceWith?: string;
};

/** The preview of an adoption or of the way back. */
export type AdoptionView = {
  readonly rows: readonly AdoptionViewRow[];
  readonly notes: readonly { readonly title: string; readonly lines: readonly string[] }[];
  /** One sentence, such as `Reboots 0 nodes.` */
  readonly summary: string;
  /** Null if the write of this tool changes no node. */
  readonly impact: Impact | null;
  /** False if there is nothing to do. */
  readonly isNeeded: boolean;
  /** Identifies the preview. The server only runs the adoption that a page shows. */
  readonly digest: string;
};

/** A line of a running adoption. `changed`: the cluster is no longer as the preview showed it. */
export type AdoptionProgress =
  | { readonly kind: "progress"; readonly text: string }
  | { readonly kind: "done" }
  | { readonly kind: "changed" | "failed"; readonly message: string };

/** Undefined if the request is invalid. Ignores other members. */
export function readAdoptionQuery(value: Json | undefined): AdoptionQuery | undefined {
  if (!isMap(value) || typeof value["isBack"] !== "boolean") return undefined;
  const replaced = asList(value["replaced"]).map(asText);
  const isValid = replaced.length <= mostAssets && replaced.every((name) => name !== undefined && assetName.test(name));
  return isValid ? { isBack: value["isBack"], replaced: replaced as readonly string[] } : undefined;
}

const mostAssets = 100;
const assetName = /^[a-z0-9][a-z0-9-]{0,62}$/;
