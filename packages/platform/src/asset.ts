// An asset: what its folder in the catalog declares. Its informers and rights, its feature and its checks follow from it.

import type { JsonMap, KubeObject, NodeContent, ObjectForm, Ref } from "@virt/api";
import type { Detector, Hardware, PoolFact, ReadParts, Topology, TopologyField } from "@virt/facts";
import type { AssetHcoFact } from "./hco-fact.ts";

/** `render` has nothing to apply, for this reason. */
export type Nothing = { readonly nothing: string };

/** There is nothing to apply here, and why. */
export function nothing(reason: string): Nothing {
  return { nothing: reason };
}

/** How people switch an asset on or off; without one it is always on. */
export type Switch =
  | { readonly annotation: string; readonly default: "on" | "off" }
  | { readonly gate: string }
  | { readonly present: string };

/** `source`: where the value comes from. `shown` stands for a value that is too long for a table. */
export type ValueReason = { readonly reason: string; readonly source: string; readonly shown?: string };

type Declared = {
  /** Unique, in kebab case. */
  readonly name: string;
  /** Assets that are listed and switched together; else its name. */
  readonly group?: string;
  /** The row of the feature table that it belongs to; assets of one feature share the value. */
  readonly feature: Feature;
  readonly tier: "always-on" | "context-aware" | "advanced";
  /** 0: part of the HyperConverged, applied before all else. */
  readonly phase: 0 | 1 | 2 | 3;
  /** Ascending; ties are broken by name. */
  readonly order: number;
  readonly target: AssetTarget;
  /** Kinds, the target's own implied. */
  readonly needs: readonly NeededKind[];
  /** Further kinds without which it makes no sense. */
  readonly gates?: readonly NeededKind[];
  /** Who is told when a CRD is missing. */
  readonly dependency: "platform" | "optional";
  readonly switch?: Switch;
  readonly conditions?: readonly AssetCondition[];
  readonly purpose?: string;
  /** Foreign objects that serve the purpose already. */
  readonly alternates?: readonly (Ref | PlacedRef)[];
  /** Yields when any other object of the kind exists. */
  readonly singleton?: boolean;
  /** Yields to a foreign object of the kind that selects this pool: of two, one would silently win. */
  readonly poolRule?: string;
  readonly adoption: "whole" | "fieldwise";
  /** False for an object that only others create. */
  readonly create?: boolean;
  readonly impact: "none" | "pods" | "reboot";
  /** Why `render` writes each value, by the field's name or path without indices; `docs/assets.md` shows it. */
  readonly values?: Readonly<Record<string, ValueReason>>;
  /** Of a MachineConfig: what `render` makes, whatever it reads. */
  readonly content?: NodeContent;
  /** Of every other kind: the content that `render` may make, one form for each version of the API. */
  readonly forms?: readonly ObjectForm[];
};

/** A kind that somebody else installs, as people are told of it where it is missing. */
export type NeededKind = Pick<Ref, "apiVersion" | "kind"> & { readonly crd: string } & ProvidedKind;

/** `operator`: who brings the CRD, as people know it; absent: the group of the API is shown. */
type ProvidedKind = { readonly operator?: string };

/** `crd` is absent for kinds that are built in. */
export type AssetTarget = (Ref | PlacedRef) & { readonly crd?: string } & ProvidedKind;

/** An asset with its reads known to the compiler. */
export type AssetOf<R extends AssetReads> = Declared & {
  readonly reads: R;
  /** The fields it has an opinion on, and no others. */
  readonly render: (facts: AssetFacts<R>) => KubeObject | Nothing;
  /** What people should know about an object that is applied and is not all that was asked for. */
  readonly warnings?: (facts: AssetFacts<R>) => readonly string[];
};

/** An asset whose own types are hidden: facts are found under the names of its reads. */
export type Asset = Declared & {
  readonly reads: AssetReads;
  readonly render: (facts: AnyAssetFacts) => KubeObject | Nothing;
  readonly warnings?: (facts: AnyAssetFacts) => readonly string[];
};

/** The facts of any asset, for code that is generic over assets. */
export type AnyAssetFacts = AssetFactsContext & Readonly<Record<string, AssetFactOf<AssetRead> | string>>;

/** Checks an asset's declaration by its type; the catalog's own tests check the rest. See `example.test.ts`. */
export function defineAsset<R extends AssetReads>(asset: AssetOf<R>): Asset {
  return asset as unknown as Asset;
}

/** A row of the feature table: assets that people switch together. */
export type Feature = {
  /** Unique. */
  readonly name: string;
  readonly description: string;
  readonly maturity: "GA" | "TP" | "DP";
};

/** What must be true of the cluster before an asset is of use. Data, so that it can be explained. */
export type AssetCondition =
  | { readonly type: "annotation"; readonly key: string; readonly value?: string }
  | { readonly type: "feature-gate"; readonly value: string }
  | { readonly type: "hardware-detection"; readonly detector: Detector }
  /** `value` "false" inverts. */
  | { readonly type: "topology"; readonly field: TopologyField; readonly value?: "true" | "false" }
  | { readonly type: "image"; readonly key: string }
  | { readonly type: "hco-field-unconfigured"; readonly path: string }
  | { readonly type: "anyOf"; readonly of: readonly AssetCondition[] };

/** True while an annotation of the HyperConverged has this value, or any where none is given. */
export const annotationIs = (key: string, value?: string): AssetCondition => ({
  type: "annotation",
  key,
  ...(value !== undefined && { value }),
});
/** True while a feature gate of the HyperConverged is on. */
export const gate = (value: string): AssetCondition => ({ type: "feature-gate", value });
/** True while nodes have this hardware. */
export const detected = (detector: Detector): AssetCondition => ({ type: "hardware-detection", detector });
/** True while a fact of the topology has this value. */
export const topologyIs = (field: TopologyField, value: "true" | "false" = "true"): AssetCondition => ({
  type: "topology",
  field,
  value,
});
/** True while one of these is. */
export const anyOf = (...of: readonly AssetCondition[]): AssetCondition => ({ type: "anyOf", of });

/** An object that earlier releases applied and that is deleted now. */
export type Tombstone = Ref & {
  /** The release that gave it up. */
  readonly since: string;
  readonly reason: string;
};

/** What an asset may read. The value in `render`, the informer and the right to it follow. */
export type AssetRead =
  | { readonly read: "hco" }
  | { readonly read: "hardware" }
  | { readonly read: "topology" }
  | { readonly read: "images" }
  | { readonly read: "schema"; readonly crd: string; readonly version: string }
  | { readonly read: "object"; readonly ref: Ref | PlacedRef }
  | { readonly read: "objects"; readonly apiVersion: string; readonly kind: string; readonly parts: ReadParts }
  | { readonly read: "pool"; readonly name: string };

/** A place that is known only at run time: where the HyperConverged is, or the operator itself. */
export type PlacedRef = Omit<Ref, "namespace"> & { readonly namespace: "$hco" | "$operator" };

/** The declared reads of an asset, by the names that `render` uses. */
export type AssetReads = Readonly<Record<string, AssetRead>>;

/** The value that a declared read has in `render`. */
export type AssetFactOf<R extends AssetRead> = R extends { read: "hco" }
  ? AssetHcoFact
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
export type AssetFactsContext = {
  readonly ownNamespace: string;
  /** Where runbooks are, `%s` in place of the alert; undefined: in our own repository. */
  readonly runbookUrlTemplate?: string | undefined;
};

/** What `render` gets: a value for each declared read, and what the operator itself knows. */
export type AssetFacts<R extends AssetReads> = { readonly [Name in keyof R]: AssetFactOf<R[Name]> } & AssetFactsContext;

/** The hardware of the nodes that count. */
export const hardware = () => ({ read: "hardware" }) as const;
/** What kind of cluster this is. */
export const topology = () => ({ read: "topology" }) as const;
/** The images that the operator was given by environment variables. */
export const images = () => ({ read: "images" }) as const;
/** All objects of a kind, with these parts beside their metadata. */
export const objects = (apiVersion: string, kind: string, parts: ReadParts = []) =>
  ({ read: "objects", apiVersion, kind, parts }) as const;
/** A MachineConfigPool, with the kernel arguments of what it runs; undefined where it is absent. */
export const pool = (name: string) => ({ read: "pool", name }) as const;
