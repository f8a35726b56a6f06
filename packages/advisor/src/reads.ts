// What a profile may read. Declared once: the input of its plan, the watch, and the right to it follow.

import type { JsonMap, KubeObject, Ref } from "@virt/api";
import type { NodeRole } from "@virt/facts";

/** Each member is a fact of its own kind. `undefined` where it says so: what is read for a draft alone is not known between drafts. */
export type ProfileRead =
  | { readonly read: "hco" } // followed
  | { readonly read: "object"; readonly ref: Ref } // followed
  | { readonly read: "target"; readonly ref: Ref } // followed while the plan has an item for it
  | { readonly read: "schema"; readonly crd: string; readonly version: string } // followed
  | { readonly read: "pools" } // followed
  | { readonly read: "kernel"; readonly pool: NodeRole } // followed where the plan concerns that role
  | { readonly read: "vm-nodes"; readonly isFollowedAfterwards: boolean } // followed while a plan is made and executed
  | { readonly read: "nodes" } // for a draft
  | { readonly read: "lookup"; readonly ref: Ref } // for a draft
  | { readonly read: "beside-hco"; readonly ref: Ref } // for a draft; lies in the namespace of the HyperConverged
  | { readonly read: "namespace"; readonly name: string }; // for a draft

/** The declared reads of a profile, by the names that `plan` uses. */
export type ProfileReads = Readonly<Record<string, ProfileRead>>;

/** The HyperConverged as it is served here: where it is, or is expected. */
export type ProfileHcoFact = {
  readonly apiVersion: string;
  readonly namespace: string;
  readonly object: KubeObject | undefined;
  /** Why none of several counts, as a sentence. */
  readonly ambiguity?: string;
};

/** The arguments of each rendered configuration that a pool runs or aims at; undefined if one cannot be read. */
export type KernelFact = readonly (readonly string[] | undefined)[];

/** The nodes that may run VMs, and the roles that a plan for them concerns. */
export type VmNodesFact = {
  /** Of the nodes for a draft; otherwise those of the stored plan. */
  readonly roles: readonly NodeRole[];
  /** Undefined while they are not followed. */
  readonly nodes: readonly KubeObject[] | undefined;
};

/** One object, looked up for a draft. `unknown`: not a draft, a kind that is not served, or no right to read it. */
export type LookupFact =
  | { readonly kind: "found"; readonly object: KubeObject }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" };

/** The value that a declared read has in `plan`. */
export type ProfileFactOf<R extends ProfileRead> = R extends { read: "hco" }
  ? ProfileHcoFact
  : R extends { read: "object" | "target" | "beside-hco" }
    ? KubeObject | undefined
    : R extends { read: "schema" }
      ? JsonMap | undefined // the openAPIV3Schema of the served version
      : R extends { read: "pools" }
        ? readonly KubeObject[]
        : R extends { read: "kernel" }
          ? KernelFact
          : R extends { read: "vm-nodes" }
            ? VmNodesFact
            : R extends { read: "lookup" }
              ? LookupFact
              : R extends { read: "nodes" }
                ? readonly Readonly<Record<string, string>>[] | undefined // the labels of each node
                : boolean | undefined; // whether the namespace exists

/** What the operator itself knows. */
export type ProfileFactsContext = { readonly ownNamespace: string };

/** What `plan` gets: a value for each declared read, and what the operator itself knows. */
export type ProfileFacts<R extends ProfileReads> = {
  readonly [Name in keyof R]: ProfileFactOf<R[Name]>;
} & ProfileFactsContext;

/** An object that the plan itself writes; undefined where it is absent. */
export const target = (ref: Ref) => ({ read: "target", ref }) as const;
/** All MachineConfigPools. */
export const pools = () => ({ read: "pools" }) as const;
/** The kernel arguments that a pool runs and aims at. */
export const kernelArguments = (pool: NodeRole) => ({ read: "kernel", pool }) as const;
/** `isFollowedAfterwards`: what the plan came to on the nodes is reported as long as the config is managed. */
export const vmNodes = (isFollowedAfterwards: boolean) => ({ read: "vm-nodes", isFollowedAfterwards }) as const;
/** The labels of each node; read for a draft. */
export const nodes = () => ({ read: "nodes" }) as const;
/** One object; read for a draft. Unlike `besideHco` it tells an absent object from one that cannot be read. */
export const lookup = (ref: Ref) => ({ read: "lookup", ref }) as const;
/** One object in the namespace of the HyperConverged; read for a draft. */
export const besideHco = (ref: Ref) => ({ read: "beside-hco", ref }) as const;
/** Whether a namespace exists; read for a draft. */
export const namespace = (name: string) => ({ read: "namespace", name }) as const;
