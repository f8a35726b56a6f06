// The floor of a storm: how many objects a second a program without any library corrects, four at a time.

import { findAccess } from "@virt/kube";
import type { ApiUser } from "@virt/testkit";
import { openRaw } from "../programs/raw-requests.ts";
import { kindAt, listPath, stormObject } from "../programs/storm-objects.ts";
import { inParallel } from "./config-maps.ts";

/** As many as the operator corrects at a time. */
const atOnce = 4;
/** Some of each kind, so that no two at a time are the same. */
const objects = 64;

/** Dry run and change of objects of the same kinds, which nobody else uses: pairs a second. */
export async function rawPairs({ kubeconfig }: ApiUser, pairs: number): Promise<number> {
  const raw = openRaw(findAccess({ env: {}, kubeconfig }), atOnce);
  const send = (at: number, value: string, query = "") => {
    const kind = kindAt(at);
    const name = `floor-${at % objects}`;
    const path = `${listPath(kind)}/${name}?fieldManager=floor&force=true${query}`;
    return raw.send("PATCH", path, JSON.stringify(stormObject(kind, name, value)));
  };
  try {
    await inParallel(objects, (at) => send(at, "first"), atOnce); // they are made, and the connections with them
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
