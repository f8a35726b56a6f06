// Reads the switches of one asset on the HyperConverged and detects new requests.

import { asText, isMap, type JsonMap, member, sha256 } from "@virt/objects";
import { switchState } from "../activation.ts";
import type { Asset } from "../asset.ts";
import { annotationOf, annotationPrefix, booleanOf } from "../hco-annotations.ts";
import type { AssetHcoFact } from "../hco-fact.ts";

const autopilotWords = ["all", "named", "off", "unset"] as const;

export type AssetSwitches = {
  /**
   * How the autopilot annotation applies to this asset. `named` means that the list contains it, whatever else the list
   * contains.
   */
  readonly autopilot: (typeof autopilotWords)[number];
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
    autopilot: autopilotFor(asset, annotationOf(hco.annotations, "autopilot") ?? ""),
    ...(own !== undefined && { own }),
    isOn: switchState(asset.switch, hco).isOn,
    isPruning: booleanOf(hco.annotations, "prune") === true,
  };
}

function autopilotFor({ name, group }: SwitchedAsset, text: string): AssetSwitches["autopilot"] {
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
 * Reports whether the user requested the asset since `before`. Removing a switch is not a request, even if the asset is
 * on by default.
 */
export function asksToApply(now: AssetSwitches, before: AssetSwitches): boolean {
  const isActivated = (now.autopilot === "all" || now.autopilot === "named") && now.autopilot !== before.autopilot;
  return isActivated || (now.own !== undefined && now.own !== "false" && now.own !== before.own);
}

/** Reports whether the user requested pruning since `before`, by disabling the asset or by enabling pruning. */
export function asksToPrune(now: AssetSwitches, before: AssetSwitches): boolean {
  return now.isPruning && !now.isOn && (before.isOn || !before.isPruning);
}

export function parseAssetSwitches(value: JsonMap[string] | undefined): AssetSwitches | undefined {
  if (!isMap(value)) return undefined;
  const autopilot = autopilotWords.find((word) => word === member(value, "autopilot"));
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
    const key = declared !== undefined && "present" in declared ? declared.present : "autopilot";
    return `${annotate} ${annotationPrefix}${key}-, then set the annotation again`;
  }
  const key = `${annotationPrefix}${declared.annotation}`;
  const isSet = booleanOf(hco.annotations, declared.annotation) === true;
  return isSet ? `${annotate} ${key}- && ${annotate} ${key}=true` : `${annotate} ${key}=true --overwrite`;
}
