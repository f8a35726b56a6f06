// What is read on demand and does not change under its name: schemas by generation, rendered configurations by name.

import { asList, asText, at, type JsonMap, type KubeObject, member } from "@virt/engine";
import type { InformerState, Reader, ReadResult } from "@virt/kube";
import type { LookupResult } from "@virt/platform";

export type ReadCache = {
  /** Moves with everything that is learned. */
  readonly revision: () => number;
  /** The openAPIV3Schema of a version; undefined where the CRD or the version is not there. */
  readonly schema: (crd: string, version: string, cluster: Reader) => Promise<JsonMap | undefined>;
  readonly schemaNow: (crd: string, version: string) => LookupResult<JsonMap>;
  /** Undefined: it cannot be read now. */
  readonly rendered: (name: string, cluster: Reader) => Promise<KubeObject | undefined>;
  readonly renderedNow: (name: string) => KubeObject | undefined;
  /** Why a CRD that is listed, or a configuration that is named, has not been read; undefined: it was, or it is not there. */
  readonly whyUnread: (name: string) => string | undefined;
};

/** Pools aim at few configurations at a time; older ones are read again if anybody asks. */
const mostRendered = 8;

export function createReadCache(crds: () => InformerState | undefined): ReadCache {
  const schemas = new Map<string, { readonly state: string; readonly crd: KubeObject }>();
  const rendered = new Map<string, KubeObject>();
  const reasons = new Map<string, string | undefined>();
  let revision = 0;
  const note = (name: string, reading: ReadResult) => {
    const reason = reading.kind === "found" || reading.kind === "absent" ? undefined : explainUnread(reading);
    if (!reasons.has(name) || reasons.get(name) !== reason || reading.kind === "found") revision++;
    reasons.set(name, reason);
    return reading;
  };
  const unreadReasonOf = (name: string) => (reasons.has(name) ? reasons.get(name) : "not read yet");
  return {
    revision: () => revision,
    schema: async (crd, version, cluster) => {
      const listed = crds()?.store.get(crd);
      if (listed === undefined) return undefined;
      const state = `${listed.metadata.uid} ${listed.metadata.generation}`;
      const known = schemas.get(crd);
      if (known?.state === state) return schemaOf(known.crd, version);
      const reading = note(crd, await cluster.read({ ...crdKind, name: crd }));
      if (reading.kind !== "found") return undefined;
      schemas.set(crd, { state, crd: trimmed(reading.object) });
      return schemaOf(reading.object, version);
    },
    schemaNow: (crd, version) => {
      const known = schemas.get(crd);
      if (known !== undefined) return { value: schemaOf(known.crd, version) };
      return crds()?.store.get(crd) === undefined ? {} : { unreadReason: unreadReasonOf(crd) };
    },
    rendered: async (name, cluster) => {
      const known = rendered.get(name);
      if (known !== undefined) return known;
      const reading = note(name, await cluster.read({ ...machineConfigKind, name }));
      if (reading.kind !== "found") return undefined;
      if (rendered.size >= mostRendered) rendered.delete(rendered.keys().next().value ?? "");
      rendered.set(name, reading.object);
      return reading.object;
    },
    renderedNow: (name) => rendered.get(name),
    whyUnread: unreadReasonOf,
  };
}

const crdKind = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
const machineConfigKind = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig" };

function explainUnread(reading: Exclude<ReadResult, { kind: "found" | "absent" }>): string {
  return reading.kind === "missing" ? `its ${reading.what} does not exist` : reading.message;
}

function trimmed({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name: metadata.name }, spec: { versions: at(rest, "spec", "versions") } };
}

function schemaOf(crd: KubeObject, version: string): JsonMap | undefined {
  const served = asList(at(crd, "spec", "versions")).find(
    (one) => asText(member(one, "name")) === version && member(one, "served") === true,
  );
  return at(served, "schema", "openAPIV3Schema") as JsonMap | undefined;
}
