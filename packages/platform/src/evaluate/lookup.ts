// The source of facts: caches, files or lists of a cluster.

import { configKind, type JsonMap, type KubeObject, type Ref } from "@virt/api";
import { isVersionServed, type ReadParts, readVersionSchema } from "@virt/cluster";

/** `unreadReason` is set if the list may be incomplete. A kind that is not served results in a complete, empty list. */
export type ListResult = { readonly items: readonly KubeObject[]; readonly unreadReason?: string };

/** An item that is read on demand. `unreadReason` is set if it could not be read yet. */
export type LookupResult<Value> = { readonly value?: Value | undefined; readonly unreadReason?: string | undefined };

/** Looks up objects. Never waits, but reports a reason for missing data. */
export type Lookup = {
  /** Returns the same list until a node changes, so that results can be cached by identity. */
  readonly nodes: () => ListResult;
  readonly infrastructure: () => ListResult;
  readonly scheduler: () => ListResult;
  readonly network: () => ListResult;
  readonly plans: () => ListResult;
  readonly namespace: (name: string) => ListResult;
  readonly object: (ref: Ref) => ListResult;
  /** Returns all objects of a kind, with at least their metadata and these parts. */
  readonly objects: (apiVersion: string, kind: string, parts: ReadParts) => ListResult;
  readonly pool: (name: string) => ListResult;
  readonly crds: ReadonlySet<string>;
  readonly crdUnreadReason?: string | undefined;
  /** Returns the openAPIV3Schema of a version. The value is undefined if the version is not served. */
  readonly schema: (crd: string, version: string) => LookupResult<JsonMap>;
  /** Reports whether the version is served. The value is undefined only if the versions were not read. */
  readonly served: (crd: string, version: string) => LookupResult<boolean>;
  readonly rendered: (name: string) => LookupResult<KubeObject>;
};

/** A kind, or one object of it if `name` is set. */
export type LookupKey = Pick<Ref, "apiVersion" | "kind"> & { readonly name?: string; readonly namespace?: string };

/** Objects and CRDs from files, or from lists of a cluster. */
export type PlainFacts = {
  readonly objects: readonly KubeObject[];
  /** The known CRDs. Installed CRDs that were not read have no versions. */
  readonly crds: readonly KubeObject[];
  readonly unreadReason?: (sought: LookupKey) => string | undefined;
};

const config = "config.openshift.io/v1";
const machineConfiguration = "machineconfiguration.openshift.io/v1";

/** Returns a lookup in these objects. All other objects count as absent. */
export function lookupIn({ objects, crds, unreadReason = () => undefined }: PlainFacts): Lookup {
  const byKind = Map.groupBy(objects, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  const list = (sought: LookupKey): ListResult => {
    const items = (byKind.get(`${sought.apiVersion} ${sought.kind}`) ?? []).filter((one) => isSought(one, sought));
    const why = unreadReason(sought);
    return { items, ...(why !== undefined && { unreadReason: why }) };
  };
  return {
    nodes: () => list({ apiVersion: "v1", kind: "Node" }),
    infrastructure: () => list({ apiVersion: config, kind: "Infrastructure", name: "cluster" }),
    scheduler: () => list({ apiVersion: config, kind: "Scheduler", name: "cluster" }),
    network: () => list({ apiVersion: config, kind: "Network", name: "cluster" }),
    plans: () => list({ apiVersion: configKind.apiVersion, kind: configKind.kind }),
    namespace: (name) => list({ apiVersion: "v1", kind: "Namespace", name }),
    object: list,
    objects: (apiVersion, kind) => list({ apiVersion, kind }),
    pool: (name) => list({ apiVersion: machineConfiguration, kind: "MachineConfigPool", name }),
    crds: new Set(crds.map(({ metadata }) => metadata.name)),
    schema: (crd, version) => ({
      value: readVersionSchema(
        crds.find(({ metadata }) => metadata.name === crd),
        version,
      ),
    }),
    served: (crd, version) => ({
      value: isVersionServed(
        crds.find(({ metadata }) => metadata.name === crd),
        version,
      ),
    }),
    rendered: (name) => ({ value: list({ apiVersion: machineConfiguration, kind: "MachineConfig", name }).items[0] }),
  };
}

function isSought({ metadata }: KubeObject, { name, namespace }: LookupKey): boolean {
  return (name === undefined || metadata.name === name) && (namespace ?? metadata.namespace) === metadata.namespace;
}
