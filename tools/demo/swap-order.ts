// Compares, by resource versions, when nodes got swap and when memory was overcommitted.

import { Client, findAccess, type InformerSpec, Manager, systemClock } from "@virt/kube";
import { asNumber, at, type KubeObject } from "@virt/objects";

const all = { keep: "all" } as const;
const nodes: InformerSpec = { apiVersion: "v1", kind: "Node", projection: all };
const hco: InformerSpec = { apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", projection: all };

const highestWithoutSwap = 120;

export type SwapOrder = {
  /** Returns the problem, or undefined if memory was overcommitted only after all nodes had swap. */
  readonly complaint: () => string | undefined;
  readonly stop: () => Promise<void>;
};

export function watchSwapOrder(kubeconfig: string): SwapOrder {
  const nothing = () => undefined;
  const host = new Manager({
    client: new Client({ access: findAccess({ env: {}, kubeconfig }), userAgent: "virt-demo" }),
    clock: systemClock,
    random: Math.random,
    groups: [],
    observer: { opened: nothing, closed: nothing, stateChanged: nothing, warned: nothing, handlerFailed: nothing },
  });
  const swapSince = new Map<string, bigint | undefined>();
  let overcommitSince: bigint | undefined;
  host.setInformers([nodes, hco]);
  host.informers.find(nodes)?.store.subscribe(({ after }) => {
    if (after === undefined) return;
    const hasSwap = (asNumber(at(after, "status", "nodeInfo", "swap", "capacity")) ?? 0) > 0;
    const since = swapSince.get(after.metadata.name);
    swapSince.set(after.metadata.name, hasSwap ? (since ?? versionOf(after)) : undefined);
  });
  host.informers.find(hco)?.store.subscribe(({ after }) => {
    const ratio = asNumber(at(after, "spec", "higherWorkloadDensity", "memoryOvercommitPercentage")) ?? 100;
    if (after !== undefined && ratio > highestWithoutSwap) overcommitSince ??= versionOf(after);
  });
  return {
    complaint: () => {
      if (overcommitSince === undefined) return "memory is not overcommitted";
      const since = overcommitSince;
      const late = [...swapSince].filter(([, swap]) => swap === undefined || swap > since).map(([name]) => name);
      if (swapSince.size === 0) return "there are no nodes";
      return late.length === 0 ? undefined : `memory was overcommitted before these nodes had swap: ${late.join(", ")}`;
    },
    stop: () => host.stop(AbortSignal.abort()),
  };
}

function versionOf({ metadata }: KubeObject): bigint {
  return BigInt(metadata.resourceVersion ?? "0");
}
