// Finds a control plane that is already on this machine: KUBEBUILDER_ASSETS, then the cache.

import { lookup, missingPrograms, shelf } from "./cache.ts";
import { goVersion } from "./go.ts";

export type Source = "KUBEBUILDER_ASSETS" | "cache" | "published archive" | "Go build";

export type Found =
  | { readonly kind: "found"; readonly folder: string; readonly source: Source }
  | { readonly kind: "absent"; readonly tried: readonly Attempt[] };

/** A way to get a control plane that did not work, and why. */
export type Attempt = { readonly source: Source; readonly why: string };

export async function findBinaries(env: NodeJS.ProcessEnv): Promise<Found> {
  const assets = env["KUBEBUILDER_ASSETS"];
  if (assets) {
    const missing = missingPrograms(assets);
    if (missing.length === 0) return { kind: "found", folder: assets, source: "KUBEBUILDER_ASSETS" };
    // Somebody asked for exactly these: another choice behind their back would be a surprise.
    throw new Error(
      `KUBEBUILDER_ASSETS is ${assets}, but that folder has no ${missing.join(", no ")}; correct it or unset it`,
    );
  }
  const folder = shelf(env);
  const kept = lookup(folder, await goVersion(env));
  if (kept !== undefined) return { kind: "found", folder: kept, source: "cache" };
  const tried = [
    { source: "KUBEBUILDER_ASSETS", why: "not set" },
    { source: "cache", why: `nothing in ${folder}` },
  ] as const;
  return { kind: "absent", tried };
}
