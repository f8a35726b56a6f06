// Adoptions for the pages of the local console.

import type { AdoptionServer } from "@virt/console/server";
import type { AdoptionQuery } from "@virt/views";
import { CliError, exitCodes } from "../verb.ts";
import { viewAdoption, viewReturn } from "./adoption-views.ts";
import {
  type AdoptedCluster,
  checkRights,
  previewInCluster,
  previewReturnInCluster,
  runPreviewed,
} from "./cluster-adoption.ts";

/** Previews again before the run, because a page may be old. */
export function consoleAdoption(common: Omit<AdoptedCluster, "client" | "signal">): AdoptionServer {
  return {
    preview: async (query, client, signal) => (await previewOf(query, { ...common, client, signal })).view,
    run: async ({ digest, ...query }, { client, signal, onProgress }) => {
      const cluster = { ...common, client, signal };
      const { preview, view } = await previewOf(query, cluster);
      if (view.digest !== digest) return { kind: "changed", message: "the cluster has changed since the preview" };
      try {
        await checkRights(preview, cluster);
        await runPreviewed(preview, cluster, onProgress);
        return { kind: "done" };
      } catch (error) {
        if (error instanceof CliError && error.exitCode === exitCodes.refused)
          return { kind: "changed", message: error.message };
        throw error;
      }
    },
  };
}

async function previewOf({ isBack, replaced }: AdoptionQuery, cluster: AdoptedCluster) {
  if (isBack) {
    const preview = await previewReturnInCluster(cluster);
    return { preview, view: viewReturn(preview) };
  }
  const preview = await previewInCluster(cluster, replaced);
  return { preview, view: viewAdoption(preview, cluster.program) };
}
