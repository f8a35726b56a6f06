// What an asset is: one golden object, or a part of one, as a pure function of what it declared to read.

import type { KubeObject, Ref } from "@virt/api";
import type { Condition } from "./condition.ts";
import type { FactOf, Facts, PlacedRef, Read, Reads, Surroundings } from "./reads.ts";

export type Nothing = { readonly nothing: string };

/** There is nothing to apply here, and why. */
export function nothing(reason: string): Nothing {
  return { nothing: reason };
}

export type Switch =
  | { readonly annotation: string; readonly default: "on" | "off" }
  | { readonly gate: string }
  | { readonly present: string };

type Declared = {
  /** Unique, in kebab case. */
  readonly name: string;
  /** Assets that are listed and switched together; else its name. */
  readonly group?: string;
  /** The row of the feature table that it belongs to. */
  readonly feature: string;
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
  readonly conditions?: readonly Condition[];
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
};

/** A kind that somebody else installs, as people are told of it where it is missing. */
export type NeededKind = Pick<Ref, "apiVersion" | "kind"> & { readonly crd: string };

/** `crd` is absent for kinds that are built in. */
export type AssetTarget = (Ref | PlacedRef) & { readonly crd?: string };

export type AssetOf<R extends Reads> = Declared & {
  readonly reads: R;
  /** The fields it has an opinion on, and no others. */
  readonly render: (facts: Facts<R>) => KubeObject | Nothing;
};

/** An asset whose own types are hidden: facts are found under the names of its reads. */
export type Asset = Declared & {
  readonly reads: Reads;
  readonly render: (facts: AnyFacts) => KubeObject | Nothing;
};

export type AnyFacts = Surroundings & Readonly<Record<string, FactOf<Read> | string>>;

export function defineAsset<R extends Reads>(asset: AssetOf<R>): Asset {
  return asset as unknown as Asset;
}
