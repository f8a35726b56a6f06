// Reads the switches of one asset on the HyperConverged and detects new requests.

import { activationAnnotation } from "@virt/api";
import { asText, isMap, type JsonMap, member, sha256 } from "@virt/objects";
import { switchState } from "../activation.ts";
import type { Asset } from "../asset.ts";
import { annotationOf, annotationPrefix, booleanOf } from "../hco-annotations.ts";
import type { AssetHcoFact } from "../hco-fact.ts";

const activationWords = ["all", "named", "off", "unset"] as const;

export type AssetSwitches = {
  /**
   * The activation of this asset by our key, or by annotation `autopilot` if our key is not set. `named` ignores other items of
   * the list. Records of earlier releases use this name, too.
   */
  readonly autopilot: (typeof activationWords)[number];
  /** The value of the asset's own switch, or a digest of its device list. Absent if it is not set. */
  readonly own?: string;
  readonly isOn: boolean;
  readonly isPruning: boolean;
};

type SwitchedAsset = Pick<Asset, "name" | "group" | "switch">;
type HcoSwitches = Pick<AssetHcoFact, "annotations" | "featureGates">;

export function readAssetSwitches(asset: SwitchedAsset, hco: HcoSwitches): AssetSwitches {
  const own = ownSwitch(asset, hco);
  return {
    autopilot: activationFor(asset, keyIn(hco) || (annotationOf(hco.annotations, "autopilot") ?? "")),
    ...(own !== undefined && { own }),
    isOn: switchState(asset.switch, hco).isOn,
    isPruning: booleanOf(hco.annotations, "prune") === true,
  };
}

/** Returns the value of our own key. Empty if it is not set. */
function keyIn({ annotations }: HcoSwitches): string {
  return annotationOf(annotations, activationAnnotation.slice(annotationPrefix.length)) ?? "";
}

/** Reports whether our own key activates the asset. Only a user sets it, whereas a console may set `autopilot`. */
export function isActivatedByKey(asset: SwitchedAsset, hco: HcoSwitches): boolean {
  const word = activationFor(asset, keyIn(hco));
  return word === "all" || word === "named";
}

function activationFor({ name, group }: SwitchedAsset, text: string): AssetSwitches["autopilot"] {
  if (text === "") return "unset";
  if (text === "true") return "all";
  const items = text.split(",").map((item) => item.trim());
  return items.includes(name) || (group !== undefined && items.includes(group)) ? "named" : "off";
}

function ownSwitch({ switch: declared }: SwitchedAsset, hco: HcoSwitches): string | undefined {
  if (declared === undefined) return undefined;
  if ("gate" in declared) return switchState(declared, hco).isOn ? "enabled" : undefined;
  if ("present" in declared) {
    const text = annotationOf(hco.annotations, declared.present);
    return text === undefined ? undefined : sha256(text).slice(0, 12);
  }
  return booleanOf(hco.annotations, declared.annotation)?.toString();
}

/**
 * Reports whether the user newly requested the asset. Ignores the removal of a switch, even if the default is on, and a
 * change from annotation `autopilot` to the same value of our key.
 */
export function asksToApply(now: AssetSwitches, before: AssetSwitches, isByKey: boolean): boolean {
  const isActivated = isByKey && now.autopilot !== before.autopilot;
  return isActivated || (now.own !== undefined && now.own !== "false" && now.own !== before.own);
}

/** Reports whether the user requested pruning since `before`, by disabling the asset or by enabling pruning. */
export function asksToPrune(now: AssetSwitches, before: AssetSwitches): boolean {
  return now.isPruning && !now.isOn && (before.isOn || !before.isPruning);
}

export function parseAssetSwitches(value: JsonMap[string] | undefined): AssetSwitches | undefined {
  if (!isMap(value)) return undefined;
  const autopilot = activationWords.find((word) => word === member(value, "autopilot"));
  const [isOn, isPruning] = [member(value, "isOn"), member(value, "isPruning")];
  const own = asText(member(value, "own"));
  if (autopilot === undefined || typeof isOn !== "boolean" || typeof isPruning !== "boolean") return undefined;
  return { autopilot, ...(own !== undefined && { own }), isOn, isPruning };
}

/** Returns the command that requests the asset again. */
export function commandToAsk(
  asset: SwitchedAsset,
  hco: HcoSwitches & Pick<AssetHcoFact, "name" | "namespace">,
): string {
  const annotate = `kubectl annotate hco ${hco.name} -n ${hco.namespace}`;
  const { switch: declared } = asset;
  if (declared === undefined || !("annotation" in declared)) {
    const key =
      declared !== undefined && "present" in declared
        ? declared.present
        : activationAnnotation.slice(annotationPrefix.length);
    return `${annotate} ${annotationPrefix}${key}-, then set the annotation again`;
  }
  const key = `${annotationPrefix}${declared.annotation}`;
  const isSet = booleanOf(hco.annotations, declared.annotation) === true;
  return isSet ? `${annotate} ${key}- && ${annotate} ${key}=true` : `${annotate} ${key}=true --overwrite`;
}
