// The catalog for the storm benchmark, which replaces the shipped one: the HyperConverged and OBJECTS generated
// objects.

import type { Asset, Tombstone } from "@virt/platform";
import { assets as shipped } from "../../catalog/index.ts";
import { group, kindAt, namespace, stormObject } from "./storm-objects.ts";

export { expectedPolicies, profiles } from "../../catalog/index.ts";

export const tombstones: readonly Tombstone[] = [];

/** Includes the HyperConverged, because the operator reconciles it before all others. */
export const assets: readonly Asset[] = [
  ...shipped.filter(({ target }) => target.kind === "HyperConverged"),
  ...Array.from({ length: Number(process.env["OBJECTS"]) }, (_, at) => stormAsset(at)),
];

function stormAsset(at: number): Asset {
  const name = `storm-${at}`;
  const kind = kindAt(at);
  const { apiVersion, plural, part } = kind;
  const object = stormObject(kind, name);
  return {
    name,
    feature: { name: "storm", description: "", maturity: "GA" },
    tier: "always-on",
    phase: 1,
    order: 100,
    target: {
      apiVersion,
      kind: kind.kind,
      name,
      namespace,
      ...(part === "spec" && { crd: `${plural}.${group}` }),
    },
    needs: [],
    dependency: "optional",
    reads: {},
    adoption: "whole",
    impact: "none",
    render: () => object,
  };
}
