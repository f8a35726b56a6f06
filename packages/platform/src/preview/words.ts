import type { Asset, AssetCondition, Feature } from "../asset.ts";
import { annotationPrefix } from "../hco-annotations.ts";

/** Returns the condition in a few words, for tables of features. */
export function conditionWords(condition: AssetCondition): string {
  switch (condition.type) {
    case "annotation":
      return condition.value === undefined
        ? `annotation ${condition.key} present`
        : `annotation ${condition.key}=${condition.value}`;
    case "feature-gate":
      return `feature gate ${condition.value}`;
    case "hardware-detection":
      return condition.detector;
    case "topology":
      return condition.value === "false" ? `not ${condition.field}` : condition.field;
    case "image":
      return `image ${condition.key}`;
    case "hco-field-unconfigured":
      return `${condition.path} not configured`;
    case "anyOf":
      return condition.of.map(conditionWords).join(" or ");
  }
}

/** Returns the text for a switch, with the short key of its annotation. */
export function switchWords({ switch: declared }: Pick<Asset, "switch">): string {
  if (declared === undefined) return "none";
  if ("gate" in declared) return `feature gate ${declared.gate}`;
  return "present" in declared ? declared.present : declared.annotation;
}

/** Reports whether an asset is on if its switch is not set. */
export function isOnByDefault({ switch: declared }: Pick<Asset, "switch">): boolean {
  return declared === undefined || ("annotation" in declared && declared.default === "on");
}

/** Returns the instruction for turning a switch on or off, or undefined if there is no switch. */
export function switchAdvice({ switch: declared }: Pick<Asset, "switch">, isOn: boolean): string | undefined {
  if (declared === undefined) return undefined;
  if ("gate" in declared)
    return isOn
      ? `enable feature gate ${declared.gate}, or name it in annotation ${annotationPrefix}feature-gates`
      : `disable feature gate ${declared.gate}`;
  if ("present" in declared)
    return isOn
      ? `list the devices in annotation ${annotationPrefix}${declared.present}`
      : `remove annotation ${annotationPrefix}${declared.present}`;
  return `set annotation ${annotationPrefix}${declared.annotation}=${isOn}`;
}

/** Returns the required CRDs, starting with that of the target. */
export function neededCrds({
  target,
  needs,
  gates = [],
}: Pick<Asset, "target" | "needs" | "gates">): readonly string[] {
  const further = [...needs, ...gates].map(({ crd }) => crd);
  return [...new Set([...(target.crd === undefined ? [] : [target.crd]), ...further])];
}

/** A feature in the report and in the table of the documents. */
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

/** Returns the features by maturity (GA first), then in the order of their assets. */
export function featureRows(assets: readonly Asset[]): readonly FeatureRow[] {
  const byName = Map.groupBy(assets, ({ feature }) => feature.name);
  const rows = [...byName.values()].flatMap((own) => {
    const [feature] = own.map((asset) => asset.feature);
    return feature === undefined ? [] : [rowOf(feature, own)];
  });
  return maturities.flatMap((maturity) => rows.filter((row) => row.maturity === maturity));
}

const maturities: readonly Feature["maturity"][] = ["GA", "TP", "DP"];

function rowOf({ name, description, maturity }: Feature, own: readonly Asset[]): FeatureRow {
  return {
    feature: name,
    description,
    maturity,
    default: own.every(isOnByDefault) ? "on" : "off",
    switch: [...new Set(own.map(switchWords))].join(", "),
    assets: own.map((asset) => asset.name),
    operators: [...new Set(own.flatMap(neededOperators))],
    impact: worst(own.map(({ impact }) => impact)),
  };
}

function neededOperators({ target: { apiVersion, crd, operator }, needs, gates = [] }: Asset): readonly string[] {
  const kinds = [...(crd === undefined ? [] : [{ apiVersion, operator }]), ...needs, ...gates];
  return kinds.map((kind) => kind.operator ?? kind.apiVersion.slice(0, kind.apiVersion.indexOf("/")));
}

const impacts: readonly Asset["impact"][] = ["none", "pods", "reboot"];

export function worst(of: readonly Asset["impact"][]): Asset["impact"] {
  return impacts[Math.max(0, ...of.map((impact) => impacts.indexOf(impact)))] ?? "none";
}
