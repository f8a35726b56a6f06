// Declares the objects that a profile reads. The input of its plan, the watches and the permissions are derived from
// them.

import type { JsonMap, KubeObject, Ref } from "@virt/api";
import type { NodeRole, ReadParts } from "@virt/cluster";

/** A read. The facts of reads that only drafts need are undefined in other reconciles. */
export type ProfileRead =
  | { readonly read: "hco" } // watched
  | { readonly read: "object"; readonly ref: Ref } // watched
  | ObjectsRead // watched
  | { readonly read: "target"; readonly ref: Ref } // watched while the plan has an item for it
  | { readonly read: "schema"; readonly crd: string; readonly version: string } // watched
  | { readonly read: "pools" } // watched
  | { readonly read: "kernel"; readonly pool: NodeRole } // watched if the plan affects that role
  | { readonly read: "vm-nodes"; readonly isFollowedAfterwards: boolean } // watched while a plan is made and executed
  | { readonly read: "nodes" } // for drafts
  | { readonly read: "lookup"; readonly ref: Ref } // for drafts
  | { readonly read: "beside-hco"; readonly ref: Ref } // for drafts, in the namespace of the HyperConverged
  | { readonly read: "namespace"; readonly name: string }; // for drafts

/** `crd` is the name of the CRD, from which the resource is derived. Default: the regular plural. */
export type ObjectsRead = {
  readonly read: "objects";
  readonly apiVersion: string;
  readonly kind: string;
  readonly parts: ReadParts;
  readonly crd?: string;
};

/** The reads of a profile, by the name of the fact. */
export type ProfileReads = Readonly<Record<string, ProfileRead>>;

/** The HyperConverged, and its actual or expected namespace. */
export type ProfileHcoFact = {
  readonly apiVersion: string;
  readonly namespace: string;
  readonly object: KubeObject | undefined;
  /** Why none of several HyperConvergeds was selected, as a sentence. */
  readonly ambiguity?: string;
};

/** The kernel arguments in a pool's current and target configs. Undefined if a config cannot be read. */
export type KernelFact = readonly (readonly string[] | undefined)[];

/** The nodes that run VMs, and their roles. */
export type VmNodesFact = {
  /** The roles of these nodes for a draft, otherwise the roles in the stored plan. */
  readonly roles: readonly NodeRole[];
  /** Undefined while nodes are not watched. */
  readonly nodes: readonly KubeObject[] | undefined;
};

/**
 * The result of a lookup. `unknown` means that it was not read for a draft, the kind is not served, or the advisor is
 * not allowed to read it.
 */
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
  readonly nodes: readonly Readonly<Record<string, string>>[] | undefined;
  readonly namespace: boolean | undefined;
};

/** The type of the fact that a read provides. */
export type ProfileFactOf<R extends ProfileRead> = ProfileFactsByRead[R["read"]];

export type ProfileFactsContext = { readonly ownNamespace: string };

/** The facts of a profile, one for each declared read. */
export type ProfileFacts<R extends ProfileReads> = {
  readonly [Name in keyof R]: ProfileFactOf<R[Name]>;
} & ProfileFactsContext;

/** Reads an object that the plan writes. */
export const target = (ref: Ref) => ({ read: "target", ref }) as const;
/** Reads all MachineConfigPools. */
export const pools = () => ({ read: "pools" }) as const;
/** Reads the kernel arguments in a pool's rendered configs. */
export const kernelArguments = (pool: NodeRole) => ({ read: "kernel", pool }) as const;
/**
 * Reads the nodes that run VMs. With `isFollowedAfterwards`, they are also watched after the plan, to report its effect
 * on them.
 */
export const vmNodes = (isFollowedAfterwards: boolean) => ({ read: "vm-nodes", isFollowedAfterwards }) as const;
/** Reads all nodes. */
export const nodes = () => ({ read: "nodes" }) as const;
/** Reads an object. Unlike `besideHco`, the fact shows whether the object is absent or could not be read. */
export const lookup = (ref: Ref) => ({ read: "lookup", ref }) as const;
/** Reads an object in the HyperConverged's namespace. The fact is undefined if the object is absent or could not be read. */
export const besideHco = (ref: Ref) => ({ read: "beside-hco", ref }) as const;
/** Reads whether a namespace exists. Only drafts read it. */
export const namespace = (name: string) => ({ read: "namespace", name }) as const;
