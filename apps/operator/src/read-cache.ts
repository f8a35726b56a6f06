// Caches on-demand reads: schemas by CRD generation, and rendered configs by name.

import { isVersionServed, readVersionSchema } from "@virt/cluster";
import type { Clock, ClusterReader, InformerState, ReadResult } from "@virt/kube";
import { asList, at, type JsonMap, type KubeObject, member } from "@virt/objects";
import type { LookupResult } from "@virt/platform";

export type ReadCache = {
  readonly revision: () => number;
  /** Returns the openAPIV3Schema of a version, or undefined if it is missing or has not been read. */
  readonly schema: (crd: string, version: string, cluster: ClusterReader) => Promise<JsonMap | undefined>;
  readonly schemaNow: (crd: string, version: string) => LookupResult<JsonMap>;
  /** Reads which versions of a CRD are served, and keeps only these, because schemas are large. */
  readonly served: (crd: string, cluster: ClusterReader) => Promise<void>;
  readonly servedNow: (crd: string, version: string) => LookupResult<boolean>;
  /** Returns a rendered config, or undefined if the read fails. */
  readonly rendered: (name: string, cluster: ClusterReader) => Promise<KubeObject | undefined>;
  /** Like `rendered`, but retries a missing or forbidden config only every 5 minutes. */
  readonly renderedIfDue: (name: string, cluster: ClusterReader) => Promise<KubeObject | undefined>;
  readonly renderedNow: (name: string) => KubeObject | undefined;
  /** Returns why a CRD or a rendered config could not be read, or undefined if it was read or does not exist. */
  readonly whyUnread: (name: string) => string | undefined;
};

/** The number of cached configs. Pools use only a few at a time. Older ones are read again on demand. */
const mostRendered = 8;
const refusedMs = 300_000;
const mostRefused = 64;

export function createReadCache(crds: () => InformerState | undefined, clock: Pick<Clock, "monotonic">): ReadCache {
  const schemas = new Map<string, { readonly state: string; readonly crd: KubeObject }>();
  const versions = new Map<string, { readonly state: string; readonly crd: KubeObject }>();
  const rendered = new Map<string, KubeObject>();
  const reasons = new Map<string, string | undefined>();
  let revision = 0;
  const note = (name: string, reading: ReadResult) => {
    const reason = reading.kind === "found" || reading.kind === "absent" ? undefined : explainUnread(reading);
    if (!reasons.has(name) || reasons.get(name) !== reason || reading.kind === "found") revision++;
    reasons.set(name, reason);
    return reading;
  };
  const refusals = new Map<string, number>();
  const readRendered = async (name: string, cluster: ClusterReader) => {
    const known = rendered.get(name);
    if (known !== undefined) return known;
    const reading = note(name, await cluster.read({ ...machineConfigKind, name }));
    refusals.delete(name);
    if (reading.kind !== "found") {
      if (reading.kind !== "unavailable") remember(refusals, name, clock.monotonic(), mostRefused);
      return undefined;
    }
    remember(rendered, name, reading.object, mostRendered);
    return reading.object;
  };
  const listedState = (crd: string) => {
    const listed = crds()?.store.get(crd);
    return listed && `${listed.metadata.uid} ${listed.metadata.generation}`;
  };
  const isDue = (name: string) => clock.monotonic() - (refusals.get(name) ?? Number.NEGATIVE_INFINITY) >= refusedMs;
  const unreadReasonOf = (name: string) => (reasons.has(name) ? reasons.get(name) : "not read yet");
  return {
    revision: () => revision,
    schema: async (crd, version, cluster) => {
      const state = listedState(crd);
      if (state === undefined) return undefined;
      const known = schemas.get(crd);
      if (known?.state === state) return readVersionSchema(known.crd, version);
      const reading = note(crd, await cluster.read({ ...crdKind, name: crd }));
      if (reading.kind !== "found") return undefined;
      schemas.set(crd, { state, crd: trimmed(reading.object) });
      return readVersionSchema(reading.object, version);
    },
    schemaNow: (crd, version) => {
      const known = schemas.get(crd);
      if (known !== undefined) return { value: readVersionSchema(known.crd, version) };
      return crds()?.store.get(crd) === undefined ? {} : { unreadReason: unreadReasonOf(crd) };
    },
    served: async (crd, cluster) => {
      const state = listedState(crd);
      if (state === undefined || versions.get(crd)?.state === state) return;
      const reading = note(crd, await cluster.read({ ...crdKind, name: crd }));
      if (reading.kind === "found") versions.set(crd, { state, crd: withoutSchemas(reading.object) });
    },
    servedNow: (crd, version) => {
      if (listedState(crd) === undefined) return { value: false };
      const known = versions.get(crd);
      return known === undefined
        ? { unreadReason: unreadReasonOf(crd) }
        : { value: isVersionServed(known.crd, version) };
    },
    rendered: readRendered,
    renderedIfDue: async (name, cluster) => (isDue(name) ? readRendered(name, cluster) : undefined),
    renderedNow: (name) => rendered.get(name),
    whyUnread: unreadReasonOf,
  };
}

function remember<Value>(known: Map<string, Value>, name: string, value: Value, most: number): void {
  if (known.size >= most) known.delete(known.keys().next().value ?? "");
  known.set(name, value);
}

const crdKind = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
const machineConfigKind = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig" };

function explainUnread(reading: Exclude<ReadResult, { kind: "found" | "absent" }>): string {
  return reading.kind === "missing" ? `its ${reading.what} does not exist` : reading.message;
}

function withoutSchemas(crd: KubeObject): KubeObject {
  const versions = asList(at(crd, "spec", "versions")).map((one) => ({
    name: member(one, "name") ?? "",
    served: member(one, "served") ?? true,
  }));
  return { apiVersion: crd.apiVersion, kind: crd.kind, metadata: { name: crd.metadata.name }, spec: { versions } };
}

function trimmed({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name: metadata.name }, spec: { versions: at(rest, "spec", "versions") } };
}
