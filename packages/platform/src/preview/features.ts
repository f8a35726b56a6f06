// The feature table: what people can switch, made of the declarations of the assets behind it.

import type { Asset } from "../asset.ts";
import type { Feature } from "../feature.ts";
import { isOnByDefault, neededCrds, switchWords } from "./words.ts";

export type FeatureRow = {
  readonly feature: string;
  readonly description: string;
  readonly maturity: Feature["maturity"];
  readonly default: "on" | "off";
  readonly switch: string;
  readonly assets: readonly string[];
  readonly operators: readonly string[];
  readonly impact: Asset["impact"];
};

export type FeatureSources = {
  readonly features: readonly Feature[];
  readonly assets: readonly Asset[];
  /** The operator that brings a CRD. */
  readonly operatorOf: (crd: string) => string;
};

export function featureRows({ features, assets, operatorOf }: FeatureSources): readonly FeatureRow[] {
  return features.map(({ name, description, maturity }) => {
    const own = assets.filter(({ feature }) => feature === name);
    const crds = own.flatMap(neededCrds);
    return {
      feature: name,
      description,
      maturity,
      default: own.every(isOnByDefault) ? "on" : "off",
      switch: [...new Set(own.map(switchWords))].join(", "),
      assets: own.map((asset) => asset.name),
      operators: [...new Set(crds.map(operatorOf))],
      impact: worst(own.map(({ impact }) => impact)),
    };
  });
}

const impacts: readonly Asset["impact"][] = ["none", "pods", "reboot"];

export function worst(of: readonly Asset["impact"][]): Asset["impact"] {
  return impacts[Math.max(0, ...of.map((impact) => impacts.indexOf(impact)))] ?? "none";
}
