// Hooks through which pages watch and read the cluster.

import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import type { WatchedName } from "@virt/views";
import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { AccessAnswer, AccessQuestion, ClusterData, ClusterSnapshot } from "./cluster-data.ts";
import { type KindState, unknownKind } from "./kind-state.ts";

export { useNow } from "./clock.ts";

const ClusterContext = createContext<ClusterData | undefined>(undefined);

export const ClusterProvider = ClusterContext.Provider;

export function useCluster(): ClusterData {
  const cluster = useContext(ClusterContext);
  if (cluster === undefined) throw new Error("a page must run in a shell");
  return cluster;
}

export function useSnapshot(): ClusterSnapshot {
  const cluster = useCluster();
  return useSyncExternalStore(cluster.subscribe, cluster.snapshot);
}

export function useWanted(...names: readonly WatchedName[]): void {
  const cluster = useCluster();
  const key = names.join();
  useEffect(() => cluster.want(key.split(",") as WatchedName[]), [cluster, key]);
}

/** Re-renders the component only if this kind changes. */
export function useKind(name: WatchedName): KindState {
  const cluster = useCluster();
  return useSyncExternalStore(cluster.subscribe, () => cluster.snapshot().kinds[name] ?? unknownKind);
}

export function useObjects(name: WatchedName): readonly KubeObject[] {
  const { objects } = useKind(name);
  return useMemo(() => [...objects.values()], [objects]);
}

export function useConfigs(): readonly VirtPlatformConfig[] {
  const objects = useObjects("configs");
  return useMemo(() => {
    const configs = objects as unknown as readonly VirtPlatformConfig[];
    return configs.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  }, [objects]);
}

export function useAccess(question: AccessQuestion): AccessAnswer | undefined {
  const cluster = useCluster();
  const key = JSON.stringify(question);
  const [answered, setAnswered] = useState<{ readonly key: string; readonly answer: AccessAnswer }>();
  useEffect(() => {
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const asking = async () => {
      const answer = await cluster.ask(JSON.parse(key) as AccessQuestion);
      if (!isCurrent) return;
      setAnswered({ key, answer });
      // Asks again, because an administrator may grant the permission, or the API server may recover.
      if (answer !== "yes") timer = setTimeout(() => void asking(), answer === "no" ? 30_000 : 3_000);
    };
    void asking();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [cluster, key]);
  return answered?.key === key ? answered.answer : undefined;
}
