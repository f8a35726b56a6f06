// Reads the facts that a profile needs, from caches or memory, and for a draft from the server.

import {
  type AnyProfileFacts,
  type KernelFact,
  type LookupFact,
  type Profile,
  type ProfileRead,
  type ReconcileFacts,
  rolesIn,
  type VmNodesFact,
} from "@virt/advisor";
import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import { readMachineConfig, readMachineConfigPool, rolesOf } from "@virt/cluster";
import { type ApiReader, type ClusterReader, listObjects, metadataOnly, type Resource } from "@virt/kube";
import { asText } from "@virt/objects";
import type { ReadCache } from "../read-cache.ts";
import type { AdvisorView } from "./advisor-view.ts";

export type FactSources = {
  readonly view: AdvisorView;
  readonly remembered: ReadCache;
  readonly cluster: ClusterReader;
  readonly sender: ApiReader;
  readonly signal: AbortSignal;
  readonly ownNamespace: string;
};

export type FactRequest = Pick<ReconcileFacts, "isForDraft" | "statusOrigin">;

/** Reads all facts that a profile needs. Facts that only a draft needs are undefined in other reconciles. */
export async function readFacts(
  profile: Profile,
  config: VirtPlatformConfig,
  from: FactSources & FactRequest,
): Promise<AnyProfileFacts> {
  const entries = await Promise.all(
    Object.entries(profile.reads).map(async ([name, read]) => [name, await readFact(read, config, from)] as const),
  );
  return { ...Object.fromEntries(entries), ownNamespace: from.ownNamespace };
}

async function readFact(read: ProfileRead, config: VirtPlatformConfig, from: FactSources & FactRequest) {
  const { view, remembered, cluster, isForDraft } = from;
  switch (read.read) {
    case "hco":
      return view.hco(config);
    case "object":
    case "target":
      return view.target(read.ref);
    case "objects":
      return view.objects(read);
    case "schema":
      return remembered.schema(read.crd, read.version, cluster);
    case "pools":
      return view.pools();
    case "kernel":
      return vmNodesOf(config, from).roles.includes(read.pool) ? kernelOf(read.pool, from) : [];
    case "vm-nodes":
      return vmNodesOf(config, from);
    case "nodes":
      return isForDraft ? nodeLabels(from) : undefined;
    case "lookup":
      return isForDraft ? lookUp(cluster, read.ref) : { kind: "unknown" as const };
    case "beside-hco":
      return isForDraft ? found(cluster, { ...read.ref, namespace: view.hco(config).namespace }) : undefined;
    case "namespace":
      return isForDraft ? (await cluster.read({ ...namespaceKind, name: read.name })).kind === "found" : undefined;
  }
}

const namespaceKind = { apiVersion: "v1", kind: "Namespace" };

async function found(
  cluster: ClusterReader,
  ref: Parameters<ClusterReader["read"]>[0],
): Promise<KubeObject | undefined> {
  const reading = await cluster.read(ref);
  return reading.kind === "found" ? reading.object : undefined;
}

async function lookUp(cluster: ClusterReader, ref: Parameters<ClusterReader["read"]>[0]): Promise<LookupFact> {
  const reading = await cluster.read(ref);
  return reading.kind === "found" || reading.kind === "absent" ? reading : { kind: "unknown" };
}

function vmNodesOf(
  config: VirtPlatformConfig,
  { view, isForDraft, statusOrigin }: Pick<FactSources, "view"> & FactRequest,
): VmNodesFact {
  const nodes = view.vmNodes(config);
  const stored = rolesIn(config.status?.items ?? []);
  if (!isForDraft || nodes === undefined) return { nodes, roles: stored };
  const fresh = rolesOf(nodes, view.pools());
  // Nodes may change during execution. A plan drafted by another process may lack the roles of new nodes, but each of
  // its roles must still have nodes.
  const isKnown = statusOrigin === "own" || stored.every((role) => fresh.includes(role));
  return { nodes, roles: config.status?.phase === "InProgress" && isKnown ? stored : fresh };
}

async function kernelOf(pool: string, { view, remembered, cluster }: FactSources): Promise<KernelFact> {
  const seen = view.pools().find(({ metadata }) => metadata.name === pool);
  const read = seen && readMachineConfigPool(seen);
  const names = [read?.current, read?.target].flatMap((configuration) => configuration?.name ?? []);
  const rendered = await Promise.all([...new Set(names)].map((name) => remembered.rendered(name, cluster)));
  return rendered.map(
    (config) => config && readMachineConfig(config).kernelArguments.flatMap((one) => asText(one) ?? []),
  );
}

const nodeResource: Resource = { group: "", version: "v1", plural: "nodes", isNamespaced: false };
const pageSize = 500;
/** Protects against endless lists. No cluster has more than 25,000 nodes. */
const mostPages = 50;

/** Returns the labels of all nodes, or undefined if a request fails. */
async function nodeLabels({
  sender,
  signal,
}: Pick<FactSources, "sender" | "signal">): Promise<readonly Readonly<Record<string, string>>[] | undefined> {
  const labels: Readonly<Record<string, string>>[] = [];
  let next: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const page = { limit: pageSize, accept: metadataOnly.list, ...(next && { continue: next }) };
    const answer = await sender.send(listObjects(nodeResource, {}, page), { signal });
    if (answer.kind !== "answered" || answer.status !== 200) return undefined;
    const list = answer.body as unknown as {
      readonly items: readonly KubeObject[] | null; // some API servers return null for an empty list
      readonly metadata: { readonly continue?: string };
    };
    labels.push(...(list.items ?? []).map(({ metadata }) => metadata.labels ?? {}));
    next = list.metadata.continue || undefined;
    if (next === undefined) return labels;
  }
  return undefined;
}
