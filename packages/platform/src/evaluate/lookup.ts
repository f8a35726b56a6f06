// Where facts come from: caches, files, or one list of a cluster.

import { configKind, type JsonMap, type KubeObject, type Ref } from "@virt/api";
import { asList, asText, at, member } from "@virt/engine";
import type { ReadParts } from "@virt/facts";

/** `unreadReason` says why the list may not be complete; a kind that is not served has no objects, and nothing is unread. */
export type ListResult = { readonly items: readonly KubeObject[]; readonly unreadReason?: string };

/** One thing that is read on demand. `unreadReason`: it is there, or may be, and this is why nobody could read it yet. */
export type LookupResult<Value> = { readonly value?: Value | undefined; readonly unreadReason?: string | undefined };

/** Where facts are looked up. Nothing here waits: what is not there yet says why. */
export type Lookup = {
  /** Another list whenever a node is another one: the same list is not read twice. */
  readonly nodes: () => ListResult;
  readonly infrastructure: () => ListResult;
  readonly scheduler: () => ListResult;
  /** The cluster-wide Network of OpenShift. */
  readonly network: () => ListResult;
  /** VirtPlatformConfigs. */
  readonly plans: () => ListResult;
  readonly namespace: (name: string) => ListResult;
  readonly object: (ref: Ref) => ListResult;
  /** All of a kind, at least with these parts beside their metadata. */
  readonly objects: (apiVersion: string, kind: string, parts: ReadParts) => ListResult;
  readonly pool: (name: string) => ListResult;
  /** Names of the installed CRDs, as far as they are listed. */
  readonly crds: ReadonlySet<string>;
  /** Why not all of them may be listed. */
  readonly crdUnreadReason?: string | undefined;
  /** The openAPIV3Schema of a version; undefined where it is not served. */
  readonly schema: (crd: string, version: string) => LookupResult<JsonMap>;
  /** A MachineConfig that a pool runs. */
  readonly rendered: (name: string) => LookupResult<KubeObject>;
};

/** What was asked for: one object, or all of a kind. */
export type LookupKey = Pick<Ref, "apiVersion" | "kind"> & { readonly name?: string; readonly namespace?: string };

/** Objects and CRDs of one moment, as files or one list of a cluster give them. */
export type PlainFacts = {
  readonly objects: readonly KubeObject[];
  /** As far as they are known; those that are installed and were not read have no versions. */
  readonly crds: readonly KubeObject[];
  /** Why something that was asked for could not be had. */
  readonly unreadReason?: (sought: LookupKey) => string | undefined;
};

const config = "config.openshift.io/v1";
const machineConfiguration = "machineconfiguration.openshift.io/v1";

/** What is not among the objects is absent. */
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
      value: schemaOf(
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

function schemaOf(crd: KubeObject | undefined, version: string): JsonMap | undefined {
  const served = asList(at(crd, "spec", "versions")).find(
    (one) => asText(member(one, "name")) === version && member(one, "served") !== false,
  );
  return at(served, "schema", "openAPIV3Schema") as JsonMap | undefined;
}
