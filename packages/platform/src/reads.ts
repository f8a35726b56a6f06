// What an asset may read. Declared once: the input of its render, the watch, and the right to it follow.

import type { JsonMap, KubeObject, Ref } from "@virt/api";
import type { Hardware } from "./hardware.ts";
import type { HcoFact } from "./hco-fact.ts";
import type { Topology } from "./topology.ts";

export type Read =
  | { readonly read: "hco" }
  | { readonly read: "hardware" }
  | { readonly read: "topology" }
  | { readonly read: "images" }
  | { readonly read: "schema"; readonly crd: string; readonly version: string }
  | { readonly read: "object"; readonly ref: Ref | PlacedRef }
  | { readonly read: "objects"; readonly apiVersion: string; readonly kind: string; readonly parts: Parts }
  | { readonly read: "pool"; readonly name: string };

/** Paths of keys that are kept beside the metadata. */
export type Parts = readonly (readonly string[])[];

/** A place that is known only at run time: where the HyperConverged is, or the operator itself. */
export type PlacedRef = Omit<Ref, "namespace"> & { readonly namespace: "$hco" | "$operator" };

export type Reads = Readonly<Record<string, Read>>;

/** A pool with the kernel arguments of the configuration that it runs; undefined: they could not be read yet. */
export type PoolFact = {
  readonly labels: Readonly<Record<string, string>>;
  readonly kernelArguments: readonly string[] | undefined;
};

export type FactOf<R extends Read> = R extends { read: "hco" }
  ? HcoFact
  : R extends { read: "hardware" }
    ? Hardware
    : R extends { read: "topology" }
      ? Topology
      : R extends { read: "images" }
        ? Readonly<Record<string, string>>
        : R extends { read: "schema" }
          ? JsonMap | undefined // openAPIV3Schema of that version, undefined where it is not served
          : R extends { read: "object" }
            ? KubeObject | undefined
            : R extends { read: "objects" }
              ? readonly KubeObject[]
              : PoolFact | undefined;

/** What the operator itself knows. */
export type Surroundings = {
  readonly ownNamespace: string;
  /** Where runbooks are, `%s` standing for the alert; undefined: in our own repository. */
  readonly runbookUrlTemplate?: string | undefined;
};

export type Facts<R extends Reads> = { readonly [Name in keyof R]: FactOf<R[Name]> } & Surroundings;

export const hco = () => ({ read: "hco" }) as const;
export const hardware = () => ({ read: "hardware" }) as const;
export const topology = () => ({ read: "topology" }) as const;
export const images = () => ({ read: "images" }) as const;
export const schema = (crd: string, version: string) => ({ read: "schema", crd, version }) as const;
export const object = (ref: Ref | PlacedRef) => ({ read: "object", ref }) as const;
export const objects = (apiVersion: string, kind: string, parts: Parts = []) =>
  ({ read: "objects", apiVersion, kind, parts }) as const;
export const pool = (name: string) => ({ read: "pool", name }) as const;
