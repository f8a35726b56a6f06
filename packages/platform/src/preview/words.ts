// Declarations in words, for documents and explanations.

import type { Asset } from "../asset.ts";
import type { Condition } from "../condition.ts";
import { annotationPrefix } from "../hco-annotations.ts";

export function conditionWords(condition: Condition): string {
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

/** With the short key of the annotation. */
export function switchWords({ switch: declared }: Pick<Asset, "switch">): string {
  if (declared === undefined) return "none";
  if ("gate" in declared) return `feature gate ${declared.gate}`;
  return "present" in declared ? declared.present : declared.annotation;
}

export function isOnByDefault({ switch: declared }: Pick<Asset, "switch">): boolean {
  return declared === undefined || ("annotation" in declared && declared.default === "on");
}

/** What a person does to turn the switch. */
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

/** CRDs that must be there, the target's own first. */
export function neededCrds({
  target,
  needs,
  gates = [],
}: Pick<Asset, "target" | "needs" | "gates">): readonly string[] {
  const further = [...needs, ...gates].map(({ crd }) => crd);
  return [...new Set([...(target.crd === undefined ? [] : [target.crd]), ...further])];
}
