// Gathers the facts that a profile declared: from the caches, from memory, and for a draft from the server.

import type { AnyFacts, KernelFact, Profile, Read } from "@virt/advisor";
import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import { asList, asText, at } from "@virt/engine";
import { listObjects, metadataOnly, type Reader, type Resource, type Sender } from "@virt/kube";
import type { Remembered } from "../remembered.ts";
import type { View } from "./view.ts";

export type Sources = {
  readonly view: View;
  readonly remembered: Remembered;
  readonly cluster: Reader;
  readonly sender: Sender;
  readonly signal: AbortSignal;
  readonly ownNamespace: string;
};

/** What is read for a draft alone is undefined otherwise. */
export async function readFacts(
  profile: Profile,
  config: VirtPlatformConfig,
  from: Sources & { readonly isForDraft: boolean },
): Promise<AnyFacts> {
  const entries = await Promise.all(
    Object.entries(profile.reads).map(async ([name, read]) => [name, await readFact(read, config, from)] as const),
  );
  return { ...Object.fromEntries(entries), ownNamespace: from.ownNamespace };
}

async function readFact(read: Read, config: VirtPlatformConfig, from: Sources & { readonly isForDraft: boolean }) {
  const { view, remembered, cluster, isForDraft } = from;
  switch (read.read) {
    case "hco":
      return view.hco(config);
    case "object":
      return view.target(read.ref);
    case "schema":
      return remembered.schema(read.crd, read.version, cluster);
    case "pools":
      return view.pools();
    case "kernel":
      return kernelOf(read.pool, from);
    case "nodes":
      return isForDraft ? nodeLabels(from) : undefined;
    case "beside-hco":
      return isForDraft ? found(cluster, { ...read.ref, namespace: view.hco(config).namespace }) : undefined;
    case "namespace":
      return isForDraft ? (await cluster.read({ ...namespaceKind, name: read.name })).kind === "found" : undefined;
  }
}

const namespaceKind = { apiVersion: "v1", kind: "Namespace" };

async function found(cluster: Reader, ref: Parameters<Reader["read"]>[0]): Promise<KubeObject | undefined> {
  const reading = await cluster.read(ref);
  return reading.kind === "found" ? reading.object : undefined;
}

async function kernelOf(pool: string, { view, remembered, cluster }: Sources): Promise<KernelFact> {
  const seen = view.pools().find(({ metadata }) => metadata.name === pool);
  const names = ["status", "spec"].flatMap((part) => asText(at(seen, part, "configuration", "name")) ?? []);
  const rendered = await Promise.all([...new Set(names)].map((name) => remembered.rendered(name, cluster)));
  return rendered.map(
    (config) => config && asList(at(config, "spec", "kernelArguments")).flatMap((one) => asText(one) ?? []),
  );
}

const nodeResource: Resource = { group: "", version: "v1", plural: "nodes", isNamespaced: false };
const pageSize = 500;

/** Undefined if they cannot all be read: then nothing is said about them. */
async function nodeLabels({
  sender,
  signal,
}: Sources): Promise<readonly Readonly<Record<string, string>>[] | undefined> {
  const labels: Readonly<Record<string, string>>[] = [];
  let next: string | undefined;
  do {
    const page = { limit: pageSize, accept: metadataOnly.list, ...(next && { continue: next }) };
    const answer = await sender.send(listObjects(nodeResource, {}, page), { signal });
    if (answer.kind !== "answered" || answer.status !== 200) return undefined;
    const list = answer.body as unknown as {
      readonly items: readonly KubeObject[] | null; // null where there are none
      readonly metadata: { readonly continue?: string };
    };
    labels.push(...(list.items ?? []).map(({ metadata }) => metadata.labels ?? {}));
    next = list.metadata.continue || undefined;
  } while (next !== undefined);
  return labels;
}
