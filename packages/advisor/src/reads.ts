// What a profile may read. Declared once: the input of its plan, the watch, and the right to it follow.

import type { JsonMap, KubeObject, Ref } from "@virt/api";

/** Each member is a fact of its own kind. `undefined` where it says so: what is read for a draft alone is not known between drafts. */
export type Read =
  | { readonly read: "hco" } // followed
  | { readonly read: "object"; readonly ref: Ref } // followed
  | { readonly read: "schema"; readonly crd: string; readonly version: string } // followed
  | { readonly read: "pools" } // followed
  | { readonly read: "kernel"; readonly pool: string } // followed
  | { readonly read: "nodes" } // for a draft
  | { readonly read: "beside-hco"; readonly ref: Ref } // for a draft; lies in the namespace of the HyperConverged
  | { readonly read: "namespace"; readonly name: string }; // for a draft

export type Reads = Readonly<Record<string, Read>>;

/** The HyperConverged as it is served here: where it is, or would be made. */
export type HcoFact = {
  readonly apiVersion: string;
  readonly namespace: string;
  readonly object: KubeObject | undefined;
};

/** The arguments of each rendered configuration that a pool runs or aims at; undefined if one cannot be read. */
export type KernelFact = readonly (readonly string[] | undefined)[];

export type FactOf<R extends Read> = R extends { read: "hco" }
  ? HcoFact
  : R extends { read: "object" | "beside-hco" }
    ? KubeObject | undefined
    : R extends { read: "schema" }
      ? JsonMap | undefined // the openAPIV3Schema of the served version
      : R extends { read: "pools" }
        ? readonly KubeObject[]
        : R extends { read: "kernel" }
          ? KernelFact
          : R extends { read: "nodes" }
            ? readonly Readonly<Record<string, string>>[] | undefined // the labels of each node
            : boolean | undefined; // whether the namespace exists

/** What the operator itself knows. */
export type Surroundings = { readonly ownNamespace: string };

export type Facts<R extends Reads> = { readonly [Name in keyof R]: FactOf<R[Name]> } & Surroundings;

export const hco = () => ({ read: "hco" }) as const;
export const object = (ref: Ref) => ({ read: "object", ref }) as const;
export const schema = (crd: string, version: string) => ({ read: "schema", crd, version }) as const;
export const pools = () => ({ read: "pools" }) as const;
export const kernelArguments = (pool: string) => ({ read: "kernel", pool }) as const;
export const nodes = () => ({ read: "nodes" }) as const;
export const besideHco = (ref: Ref) => ({ read: "beside-hco", ref }) as const;
export const namespace = (name: string) => ({ read: "namespace", name }) as const;
