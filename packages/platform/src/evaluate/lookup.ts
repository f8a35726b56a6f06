// Where the facts of a world come from: caches that are filled by watches, files, or one look at a cluster.

import type { JsonMap, KubeObject, Ref } from "@virt/api";
import type { Parts } from "../reads.ts";

/** `trouble` says why the list may not be complete; a kind that is not served has no objects, and no trouble. */
export type Listed = { readonly items: readonly KubeObject[]; readonly trouble?: string };

export type Lookup = {
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
  /** Names of the installed CRDs. */
  readonly crds: ReadonlySet<string>;
  /** The openAPIV3Schema of a version; undefined where it is not served, or not read yet. */
  readonly schema: (crd: string, version: string) => JsonMap | undefined;
  /** A MachineConfig that a pool runs; undefined where it is not read yet. */
  readonly rendered: (name: string) => KubeObject | undefined;
};
