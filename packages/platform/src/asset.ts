// Types for the declaration of an asset. The asset's informers, permissions, feature and checks are derived from it.

import type { JsonMap, KubeObject, NodeContent, ObjectForm, Ref } from "@virt/api";
import type { Detector, Hardware, PoolFact, ReadParts, Topology, TopologyField } from "@virt/cluster";
import type { Counterpart } from "./autopilot/counterpart.ts";
import type { AssetHcoFact } from "./hco-fact.ts";

/** The result of `render` if there is nothing to apply, with the reason. */
export type Nothing = {
  readonly nothing: string;
  /** True if the cluster lacks a requirement that only the reads reveal. */
  readonly isUnmet?: true;
};

/** Returns the result of `render` for a cluster where the asset has nothing to apply. Users see the reason. */
export function nothing(reason: string): Nothing {
  return { nothing: reason };
}

/** Returns the result of `render` for a cluster that lacks a requirement. The reason is then `ConditionNotMet`. */
export function unmet(expected: string, actual: string): Nothing {
  return { nothing: `expected ${expected}, found ${actual}`, isUnmet: true };
}

/** The user's switch for an asset. An asset without one is always on. */
export type Switch =
  | { readonly annotation: string; readonly default: "on" | "off" }
  | { readonly gate: string }
  | { readonly present: string };

/** `source` is the origin of the value. `shown` replaces a value that is too long for a table. */
export type ValueReason = { readonly reason: string; readonly source: string; readonly shown?: string };

type Declared = {
  /** Unique and in kebab case. */
  readonly name: string;
  /** Assets of a group are listed and switched together. Defaults to the asset's name. */
  readonly group?: string;
  /** The folder in `catalog/assets`. Defaults to the asset's name. Assets of one table share a folder. */
  readonly folder?: string;
  /** A row of the feature table. All assets of a feature share the same value. */
  readonly feature: Feature;
  readonly tier: "always-on" | "context-aware" | "advanced";
  /** Phase 0 is part of the HyperConverged and is applied first. */
  readonly phase: 0 | 1 | 2 | 3;
  /** Ascending. Ties are broken by name. */
  readonly order: number;
  readonly target: AssetTarget;
  /** Required kinds. The target's own kind is implied. */
  readonly needs: readonly NeededKind[];
  /** Other kinds without which the asset is useless. */
  readonly gates?: readonly NeededKind[];
  /** Selects how the operator reports a missing CRD. `unreported`: never, because the asset only adds to another one. */
  readonly dependency: "platform" | "optional" | "unreported";
  readonly switch?: Switch;
  readonly conditions?: readonly AssetCondition[];
  readonly purpose?: string;
  /** Objects of other clients that already serve the purpose. */
  readonly alternates?: readonly (Ref | PlacedRef)[];
  /** Objects of virt-platform-autopilot for the same purpose. The catalog fills them in from its table. */
  readonly counterparts?: readonly Counterpart[];
  /** True if the asset yields to any other object of its kind. */
  readonly singleton?: boolean;
  /**
   * If set, the asset yields to another client's object that selects this pool, because OpenShift silently ignores one
   * of two objects.
   */
  readonly poolRule?: string;
  readonly adoption: "whole" | "fieldwise";
  /** False if the operator must not create the object. */
  readonly create?: boolean;
  readonly impact: "none" | "pods" | "reboot";
  /** The reason for each value, by field name or by path without indices. `docs/assets.md` shows it. */
  readonly values?: Readonly<Record<string, ValueReason>>;
  /** For a MachineConfig: the rendered content, which does not depend on the reads. */
  readonly content?: NodeContent;
  /** For other kinds: the possible content, one form per API version. */
  readonly forms?: readonly ObjectForm[];
};

/** A kind that another operator installs, as messages show it if it is missing. */
export type NeededKind = Pick<Ref, "apiVersion" | "kind"> & { readonly crd: string } & ProvidedKind;

/** The display name of the operator that provides the CRD. Absent: messages show the API group. */
type ProvidedKind = { readonly operator?: string };

/** The target of an asset. `crd` is absent for built-in kinds. */
export type AssetTarget = (Ref | PlacedRef) & { readonly crd?: string } & ProvidedKind;

/** The declaration of an asset. `render` gets the facts that `reads` declares. */
export type AssetOf<R extends AssetReads> = Declared & {
  readonly reads: R;
  /** Returns only the fields that the operator should own. */
  readonly render: (facts: AssetFacts<R>) => KubeObject | Nothing;
  readonly warnings?: (facts: AssetFacts<R>) => readonly string[];
};

/** An asset, without the types of its facts. Its facts are named after its reads. */
export type Asset = Declared & {
  readonly reads: AssetReads;
  readonly render: (facts: AnyAssetFacts) => KubeObject | Nothing;
  readonly warnings?: (facts: AnyAssetFacts) => readonly string[];
};

/** The facts of any asset, for code that does not know which one. Assets use `AssetFacts`. */
export type AnyAssetFacts = AssetFactsContext & Readonly<Record<string, AssetFactOf<AssetRead> | string>>;

/** Declares an asset and type-checks its reads. The catalog's tests check the rest. See `example.test.ts`. */
export function defineAsset<R extends AssetReads>(asset: AssetOf<R>): Asset {
  return asset as unknown as Asset;
}

/** A row of the feature table: assets that are switched together. */
export type Feature = {
  readonly name: string;
  readonly description: string;
  readonly maturity: "GA" | "TP" | "DP";
};

/** A requirement on the cluster. It is data rather than a function, so that messages can explain it. */
export type AssetCondition =
  | { readonly type: "annotation"; readonly key: string; readonly value?: string }
  | { readonly type: "feature-gate"; readonly value: string }
  | { readonly type: "hardware-detection"; readonly detector: Detector }
  /** Value "false" inverts the condition. */
  | { readonly type: "topology"; readonly field: TopologyField; readonly value?: "true" | "false" }
  | { readonly type: "image"; readonly key: string }
  | { readonly type: "hco-field-unconfigured"; readonly path: string }
  | { readonly type: "anyOf"; readonly of: readonly AssetCondition[] };

/** Requires an annotation on the HyperConverged, with this value if one is given. */
export const annotationIs = (key: string, value?: string): AssetCondition => ({
  type: "annotation",
  key,
  ...(value !== undefined && { value }),
});
/** Requires an enabled feature gate of the HyperConverged. */
export const gate = (value: string): AssetCondition => ({ type: "feature-gate", value });
/** Requires this hardware on nodes. */
export const detected = (detector: Detector): AssetCondition => ({ type: "hardware-detection", detector });
/** Requires this value of a topology field. */
export const topologyIs = (field: TopologyField, value: "true" | "false" = "true"): AssetCondition => ({
  type: "topology",
  field,
  value,
});
/** Requires at least one of the conditions. */
export const anyOf = (...of: readonly AssetCondition[]): AssetCondition => ({ type: "anyOf", of });

/** An object that an earlier release applied and this release deletes. */
export type Tombstone = Ref & {
  readonly since: string;
  readonly reason: string;
};

/** An input of an asset. Its value in `render`, its informer and its RBAC rules are derived from it. */
export type AssetRead =
  | { readonly read: "hco" }
  | { readonly read: "hardware" }
  | { readonly read: "topology" }
  | { readonly read: "images" }
  | { readonly read: "schema"; readonly crd: string; readonly version: string }
  | { readonly read: "served"; readonly crd: string; readonly version: string }
  | { readonly read: "object"; readonly ref: Ref | PlacedRef }
  | {
      readonly read: "objects";
      readonly apiVersion: string;
      readonly kind: string;
      readonly parts: ReadParts;
      readonly crd?: string;
    }
  | { readonly read: "pool"; readonly name: string };

/** An object whose namespace is known only at run time: that of the HyperConverged or the operator. */
export type PlacedRef = Omit<Ref, "namespace"> & { readonly namespace: "$hco" | "$operator" };

/** The reads of an asset, by the name of the fact. */
export type AssetReads = Readonly<Record<string, AssetRead>>;

type AssetFactsByRead = {
  readonly hco: AssetHcoFact;
  readonly hardware: Hardware;
  readonly topology: Topology;
  readonly images: Readonly<Record<string, string>>;
  /** The openAPIV3Schema of the version, or undefined if it is not served. */
  readonly schema: JsonMap | undefined;
  readonly served: boolean;
  readonly object: KubeObject | undefined;
  readonly objects: readonly KubeObject[];
  readonly pool: PoolFact | undefined;
};

/** The type of the fact that a read provides. */
export type AssetFactOf<R extends AssetRead> = AssetFactsByRead[R["read"]];

/** Facts that do not come from the cluster. */
export type AssetFactsContext = {
  readonly ownNamespace: string;
  /** The runbook URL, with `%s` in place of the alert name. Undefined: the project's own repository. */
  readonly runbookUrlTemplate?: string | undefined;
};

/** The facts of an asset, with one member for each declared read. */
export type AssetFacts<R extends AssetReads> = { readonly [Name in keyof R]: AssetFactOf<R[Name]> } & AssetFactsContext;

/** Reads the hardware of the nodes that count. Ignores changes in the last 10 minutes. */
export const hardware = () => ({ read: "hardware" }) as const;
/** Reads the platform of the cluster and its counts of nodes. */
export const topology = () => ({ read: "topology" }) as const;
/** Reads the images from the operator's `RELATED_IMAGE_*` environment variables. */
export const images = () => ({ read: "images" }) as const;
/** Reads whether the cluster serves this version of a CRD. Cheaper than `schema`. */
export const served = (crd: string, version: string) => ({ read: "served", crd, version }) as const;
/** Reads a MachineConfigPool and the kernel arguments of its rendered config. Undefined if the pool is absent. */
export const pool = (name: string) => ({ read: "pool", name }) as const;
