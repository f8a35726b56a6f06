// Reads the targets of drifted configs again whenever a config or target may have changed.

import type { Ref, VirtPlatformConfig } from "@virt/api";
import { type DriftRow, driftedTargets, driftRows, type LiveTarget, targetResource } from "@virt/views";
import { useEffect, useState } from "react";
import type { ClusterData } from "./cluster-data.ts";
import { useCluster } from "./use-cluster.ts";

export type DriftState = { readonly rows: readonly DriftRow[]; readonly checkedAt: number | undefined };

export function useDriftRows(configs: readonly VirtPlatformConfig[]): DriftState {
  const cluster = useCluster();
  const [state, setState] = useState<DriftState>({ rows: [], checkedAt: undefined });
  useEffect(() => {
    let isCurrent = true;
    const reading = async () => {
      const rows = await readDrift(cluster, configs);
      if (isCurrent) setState({ rows, checkedAt: Date.now() });
    };
    void reading();
    return () => {
      isCurrent = false;
    };
  }, [cluster, configs]);
  return state;
}

async function readDrift(cluster: ClusterData, configs: readonly VirtPlatformConfig[]): Promise<readonly DriftRow[]> {
  const refs = configs.flatMap((config) => driftedTargets(config));
  const read = await Promise.all(refs.map(async (ref) => [refKey(ref), await readTarget(cluster, ref)] as const));
  const found = new Map(read);
  const live = (ref: Ref): LiveTarget => found.get(refKey(ref)) ?? { kind: "unknown", message: "not read" };
  return configs.flatMap((config) => driftRows(config, live));
}

function refKey({ kind, namespace = "", name }: Ref): string {
  return `${kind} ${namespace}/${name}`;
}

export async function readTarget(cluster: ClusterData, ref: Ref): Promise<LiveTarget> {
  const path = targetPath(ref);
  if (path === undefined) return { kind: "unknown", message: `the console cannot read ${ref.kind}` };
  const answer = await cluster.readObject(path);
  if (answer.kind === "done") return { kind: "found", object: answer.object };
  return answer.status === 404 ? { kind: "absent" } : { kind: "unknown", message: answer.message };
}

/** Returns undefined for kinds that pages are not allowed to read. */
export function targetPath({
  apiVersion,
  kind,
  namespace,
  name,
}: Partial<Ref> & Pick<Ref, "kind" | "name">): string | undefined {
  const resource = targetResource(kind, apiVersion);
  if (resource === undefined) return undefined;
  const { group, version, plural, isNamespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return [root, ...(isNamespaced && namespace !== undefined ? ["namespaces", namespace] : []), plural, name].join("/");
}
