// Looks facts up among plain objects: what somebody wrote into files, or what a cluster answered once.

import { configKind, type JsonMap, type KubeObject, type Ref } from "@virt/api";
import { asList, asText, at, member } from "@virt/engine";
import type { Listed, Lookup } from "./lookup.ts";

/** What was asked for: one object, or all of a kind. */
export type Sought = Pick<Ref, "apiVersion" | "kind"> & { readonly name?: string; readonly namespace?: string };

export type PlainFacts = {
  readonly objects: readonly KubeObject[];
  /** As far as they are known; those that are installed and were not read have no versions. */
  readonly crds: readonly KubeObject[];
  /** Why something that was asked for could not be had. */
  readonly trouble?: (sought: Sought) => string | undefined;
};

const config = "config.openshift.io/v1";
const machineConfiguration = "machineconfiguration.openshift.io/v1";

/** What is not among the objects is absent. */
export function lookupIn({ objects, crds, trouble = () => undefined }: PlainFacts): Lookup {
  const byKind = Map.groupBy(objects, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  const list = (sought: Sought): Listed => {
    const items = (byKind.get(`${sought.apiVersion} ${sought.kind}`) ?? []).filter((one) => isSought(one, sought));
    const why = trouble(sought);
    return { items, ...(why !== undefined && { trouble: why }) };
  };
  return {
    nodes: () => list({ apiVersion: "v1", kind: "Node" }),
    infrastructure: () => list({ apiVersion: config, kind: "Infrastructure", name: "cluster" }),
    scheduler: () => list({ apiVersion: config, kind: "Scheduler", name: "cluster" }),
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

function isSought({ metadata }: KubeObject, { name, namespace }: Sought): boolean {
  return (name === undefined || metadata.name === name) && (namespace ?? metadata.namespace) === metadata.namespace;
}

function schemaOf(crd: KubeObject | undefined, version: string): JsonMap | undefined {
  const served = asList(at(crd, "spec", "versions")).find(
    (one) => asText(member(one, "name")) === version && member(one, "served") !== false,
  );
  return at(served, "schema", "openAPIV3Schema") as JsonMap | undefined;
}
