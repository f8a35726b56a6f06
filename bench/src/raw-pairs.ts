// Measures the floor for the storm benchmark: corrections per second without a library, 4 in parallel.

import { findAccess } from "@virt/kube";
import type { ApiUser } from "@virt/testkit";
import { openRaw } from "../programs/raw-requests.ts";
import { kindAt, listPath, stormObject } from "../programs/storm-objects.ts";
import { inParallel } from "./config-maps.ts";

const atOnce = 4;
/** Enough objects of each kind that parallel corrections never use the same object. */
const objects = 64;

/** Returns pairs per second. A pair is a dry run and a change of an object that only this program writes. */
export async function rawPairs({ kubeconfig }: ApiUser, pairs: number): Promise<number> {
  const raw = openRaw(findAccess({ env: {}, kubeconfig }), atOnce);
  const send = (at: number, value: string, query = "") => {
    const kind = kindAt(at);
    const name = `floor-${at % objects}`;
    const path = `${listPath(kind)}/${name}?fieldManager=floor&force=true${query}`;
    return raw.send("PATCH", path, JSON.stringify(stormObject(kind, name, value)));
  };
  try {
    await inParallel(objects, (at) => send(at, "first"), atOnce);
    const start = performance.now();
    const pair = async (at: number) => {
      await send(at, `${start}-${at}`, "&dryRun=All");
      await send(at, `${start}-${at}`);
    };
    await inParallel(pairs, pair, atOnce);
    return (pairs * 1_000) / (performance.now() - start);
  } finally {
    raw.close();
  }
}
