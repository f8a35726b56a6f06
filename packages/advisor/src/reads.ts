// Declares the reads of a profile. The plan's input, the watches and the permissions are derived from them.

import type { JsonMap, KubeObject, Ref } from "@virt/api";
import type { NodeRole, ReadParts } from "@virt/cluster";

/** Reads that only drafts make are undefined at other times. */
export type ProfileRead =
  | { readonly read: "hco" } // watched
  | { readonly read: "object"; readonly ref: Ref } // watched
  | { readonly read: "objects"; readonly apiVersion: string; readonly kind: string; readonly parts: ReadParts } // watched
  | { readonly read: "target"; readonly ref: Ref } // watched while the plan has an item for it
  | { readonly read: "schema"; readonly crd: string; readonly version: string } // watched
  | { readonly read: "pools" } // watched
  | { readonly read: "kernel"; readonly pool: NodeRole } // watched if the plan affects that role
  | { readonly read: "vm-nodes"; readonly isFollowedAfterwards: boolean } // watched while a plan is made and executed
  | { readonly read: "nodes" } // for drafts
  | { readonly read: "lookup"; readonly ref: Ref } // for drafts
  | { readonly read: "beside-hco"; readonly ref: Ref } // for drafts, in the namespace of the HyperConverged
  | { readonly read: "namespace"; readonly name: string }; // for drafts

/** The declared reads of a profile. The names become the members of its facts. */
export type ProfileReads = Readonly<Record<string, ProfileRead>>;

/** The HyperConverged, and its actual or expected location. */
export type ProfileHcoFact = {
  readonly apiVersion: string;
  readonly namespace: string;
  readonly object: KubeObject | undefined;
  /** The reason why none of several HyperConvergeds was selected, as a sentence. */
  readonly ambiguity?: string;
};

/** The kernel arguments of a pool's current and target configurations. Undefined if unreadable. */
export type KernelFact = readonly (readonly string[] | undefined)[];

/** The nodes that run VMs, and their roles. */
export type VmNodesFact = {
  /** For a draft, the roles of these nodes. Otherwise, those of the stored plan. */
  readonly roles: readonly NodeRole[];
  /** Undefined while nodes are not watched. */
  readonly nodes: readonly KubeObject[] | undefined;
};

/** `unknown`: not a draft, the kind is not served, or the advisor is not allowed to read it. */
export type LookupFact =
  | { readonly kind: "found"; readonly object: KubeObject }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" };

type ProfileFactsByRead = {
  readonly hco: ProfileHcoFact;
  readonly object: KubeObject | undefined;
  /** Sorted by namespace and name. Empty if the kind is not served. */
  readonly objects: readonly KubeObject[];
  readonly target: KubeObject | undefined;
  readonly "beside-hco": KubeObject | undefined;
  /** The openAPIV3Schema of the served version. */
  readonly schema: JsonMap | undefined;
  readonly pools: readonly KubeObject[];
  readonly kernel: KernelFact;
  readonly "vm-nodes": VmNodesFact;
  readonly lookup: LookupFact;
  /** The labels of each node. */
  readonly nodes: readonly Readonly<Record<string, string>>[] | undefined;
  /** True if the namespace exists. */
  readonly namespace: boolean | undefined;
};

/** The type of the fact that a read results in. */
export type ProfileFactOf<R extends ProfileRead> = ProfileFactsByRead[R["read"]];

export type ProfileFactsContext = { readonly ownNamespace: string };

/** The facts of a profile, with one member for each declared read. */
export type ProfileFacts<R extends ProfileReads> = {
  readonly [Name in keyof R]: ProfileFactOf<R[Name]>;
} & ProfileFactsContext;

/** Reads an object that the plan itself writes. */
export const target = (ref: Ref) => ({ read: "target", ref }) as const;
/** Reads all MachineConfigPools. */
export const pools = () => ({ read: "pools" }) as const;
/** Reads the kernel arguments of the rendered configurations of a pool. */
export const kernelArguments = (pool: NodeRole) => ({ read: "kernel", pool }) as const;
/** Reads the nodes that run VMs. `isFollowedAfterwards`: also after the plan, to report its result on them. */
export const vmNodes = (isFollowedAfterwards: boolean) => ({ read: "vm-nodes", isFollowedAfterwards }) as const;
/** Reads all nodes. */
export const nodes = () => ({ read: "nodes" }) as const;
/** Reads an object. Unlike `besideHco`, distinguishes an absent object from an unreadable one. */
export const lookup = (ref: Ref) => ({ read: "lookup", ref }) as const;
/** Reads an object in the namespace of the HyperConverged. Undefined if it is absent or unreadable. */
export const besideHco = (ref: Ref) => ({ read: "beside-hco", ref }) as const;
/** Reads whether a namespace exists. Only drafts read it. */
export const namespace = (name: string) => ({ read: "namespace", name }) as const;
