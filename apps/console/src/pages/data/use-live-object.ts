// Reads one object on demand, and again after a change.

import type { KubeObject } from "@virt/api";
import { useEffect, useState } from "react";
import { useCluster } from "./use-cluster.ts";

export type LiveObject =
  | { readonly kind: "reading" }
  | { readonly kind: "found"; readonly object: KubeObject }
  | { readonly kind: "refused"; readonly status: number; readonly message: string };

const reading: LiveObject = { kind: "reading" };

/**
 * Reads the object again when `version` changes, and returns the old object until then. `path` is undefined if pages
 * may not read the object.
 */
export function useLiveObject(path: string | undefined, version: string): LiveObject {
  const cluster = useCluster();
  const [read, setRead] = useState<{ readonly path: string; readonly live: LiveObject } | undefined>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version triggers another read
  useEffect(() => {
    if (path === undefined) return undefined;
    let isCurrent = true;
    const asking = async () => {
      const answer = await cluster.readObject(path);
      if (!isCurrent) return;
      setRead({ path, live: answer.kind === "done" ? { kind: "found", object: answer.object } : answer });
    };
    void asking();
    return () => {
      isCurrent = false;
    };
  }, [cluster, path, version]);
  return read === undefined || read.path !== path ? reading : read.live;
}
