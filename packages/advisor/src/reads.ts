// Declares what a profile reads. The plan's input, the watches and the permissions follow from it.

import type { JsonMap, KubeObject, Ref } from "@virt/api";
import type { NodeRole } from "@virt/cluster";

/** Values of reads that are only made for a draft are undefined at other times. */
export type ProfileRead =
  | { readonly read: "hco" } // watched
  | { readonly read: "object"; readonly ref: Ref } // watched
  | { readonly read: "target"; readonly ref: Ref } // watched while the plan has an item for it
  | { readonly read: "schema"; readonly crd: string; readonly version: string } // watched
  | { readonly read: "pools" } // watched
  | { readonly read: "kernel"; readonly pool: NodeRole } // watched if the plan affects that role
  | { readonly read: "vm-nodes"; readonly isFollowedAfterwards: boolean } // watched while a plan is made and executed
  | { readonly read: "nodes" } // for drafts
  | { readonly read: "lookup"; readonly ref: Ref } // for drafts
  | { readonly read: "beside-hco"; readonly ref: Ref } // for drafts, in the namespace of the HyperConverged
  | { readonly read: "namespace"; readonly name: string }; // for drafts

export type ProfileReads = Readonly<Record<string, ProfileRead>>;

/** The HyperConverged, and the place where it is or is expected. */
export type ProfileHcoFact = {
  readonly apiVersion: string;
  readonly namespace: string;
  readonly object: KubeObject | undefined;
  /** Why none of several HyperConvergeds is selected, as a sentence. */
  readonly ambiguity?: string;
};

/** The kernel arguments of a pool's current and target configurations. Undefined if unreadable. */
export type KernelFact = readonly (readonly string[] | undefined)[];

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

export type ProfileFactOf<R extends ProfileRead> = ProfileFactsByRead[R["read"]];

export type ProfileFactsContext = { readonly ownNamespace: string };

export type ProfileFacts<R extends ProfileReads> = {
  readonly [Name in keyof R]: ProfileFactOf<R[Name]>;
} & ProfileFactsContext;

/** An object that the plan itself writes. */
export const target = (ref: Ref) => ({ read: "target", ref }) as const;
export const pools = () => ({ read: "pools" }) as const;
export const kernelArguments = (pool: NodeRole) => ({ read: "kernel", pool }) as const;
/** `isFollowedAfterwards`: also watches the nodes after the plan, to report its result on them. */
export const vmNodes = (isFollowedAfterwards: boolean) => ({ read: "vm-nodes", isFollowedAfterwards }) as const;
export const nodes = () => ({ read: "nodes" }) as const;
/** Unlike `besideHco`, distinguishes an absent object from an unreadable one. */
export const lookup = (ref: Ref) => ({ read: "lookup", ref }) as const;
export const besideHco = (ref: Ref) => ({ read: "beside-hco", ref }) as const;
export const namespace = (name: string) => ({ read: "namespace", name }) as const;
