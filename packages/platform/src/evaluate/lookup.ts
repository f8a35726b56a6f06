// Where the facts of a world come from: caches that are filled by watches, files, or one look at a cluster.

import type { JsonMap, KubeObject, Ref } from "@virt/api";
import type { Parts } from "../reads.ts";

/** `trouble` says why the list may not be complete; a kind that is not served has no objects, and no trouble. */
export type Listed = { readonly items: readonly KubeObject[]; readonly trouble?: string };

/** One thing that is read on demand. `trouble`: it is there, or may be, and nobody could read it yet. */
export type Looked<Value> = { readonly value?: Value | undefined; readonly trouble?: string | undefined };

export type Lookup = {
  /** Another list whenever a node is another one: the same list is not read twice. */
  readonly nodes: () => Listed;
  readonly infrastructure: () => Listed;
  readonly scheduler: () => Listed;
  /** VirtPlatformConfigs. */
  readonly plans: () => Listed;
  readonly namespace: (name: string) => Listed;
  readonly object: (ref: Ref) => Listed;
  /** All of a kind, at least with these parts beside their metadata. */
  readonly objects: (apiVersion: string, kind: string, parts: Parts) => Listed;
  readonly pool: (name: string) => Listed;
  /** Names of the installed CRDs, as far as they are listed. */
  readonly crds: ReadonlySet<string>;
  /** Why not all of them may be listed. */
  readonly crdTrouble?: string | undefined;
  /** The openAPIV3Schema of a version; undefined where it is not served. */
  readonly schema: (crd: string, version: string) => Looked<JsonMap>;
  /** A MachineConfig that a pool runs. */
  readonly rendered: (name: string) => Looked<KubeObject>;
};
