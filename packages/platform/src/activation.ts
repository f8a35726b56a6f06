// Reads the autopilot annotation and the switches of assets.

import { shorten } from "./annotation-values.ts";
import type { Switch } from "./asset.ts";
import { annotationOf, annotationPrefix, booleanOf, notBoolean } from "./hco-annotations.ts";
import { type AssetHcoFact, isGateOn } from "./hco-fact.ts";

/** `always`: active unless an administrator opts out. `opt-in`: active only after an administrator opts in. */
export type ActivationMode = "always" | "opt-in";

/** The assets that the autopilot annotation enables. */
export type Activation = {
  /** False while the operator is idle. It then changes nothing. */
  readonly isActive: boolean;
  /** The listed assets and groups. Undefined if there is no list, in which case all assets are enabled. */
  readonly listed: ReadonlySet<string> | undefined;
  /** List items that match neither an asset nor a group, at most 10. */
  readonly unknown: readonly string[];
};

type Named = { readonly name: string; readonly group?: string };

/** Returns the activation. A non-empty annotation overrides the mode. */
export function readActivation(
  annotation: string | undefined,
  mode: ActivationMode,
  assets: readonly Named[],
): Activation {
  const text = (annotation ?? "").trim();
  if (text === "" || text === "true" || text === "false") {
    const isActive = text === "" ? mode === "always" : text === "true";
    return { isActive, listed: undefined, unknown: [] };
  }
  const names = new Set(assets.flatMap(({ name, group }) => [name, group ?? name]));
  const items = new Set(text.split(",").map((item) => item.trim()));
  items.delete("");
  const listed = new Set([...items].filter((item) => names.has(item)));
  const unknown = [...items].filter((item) => !names.has(item));
  return { isActive: listed.size > 0, listed, unknown: unknown.slice(0, mostReported).map((item) => shorten(item)) };
}

// The maximum number of unknown items to report, because each one causes an event.
const mostReported = 10;

/** Reports whether the list enables an asset. Without a list, all assets are enabled. */
export function isAllowed({ listed }: Activation, asset: Named): boolean {
  return listed === undefined || isListed(listed, asset);
}

/**
 * Returns the annotation that enables the named assets in addition, or all assets if no names are given. Returns
 * undefined if they are already enabled.
 */
export function enablingAnnotation(
  annotation: string | undefined,
  mode: ActivationMode,
  { assets, names }: { readonly assets: readonly Named[]; readonly names: readonly string[] },
): string | undefined {
  const activation = readActivation(annotation, mode, assets);
  const { isActive, listed } = activation;
  if (isActive && listed === undefined) return undefined;
  if (names.length === 0) return "true";
  const isAllowedNow = (name: string) =>
    isActive && isAllowed(activation, assets.find((asset) => asset.name === name) ?? { name });
  const added = [...new Set(names)].filter((name) => !isAllowedNow(name));
  if (added.length === 0) return undefined;
  return [...(listed === undefined ? [] : [(annotation ?? "").trim()]), ...added].join(",");
}

/** Reports whether the list names the asset or its group. */
export function isAskedFor({ listed }: Activation, asset: Named): boolean {
  return listed !== undefined && isListed(listed, asset);
}

function isListed(listed: ReadonlySet<string>, { name, group }: Named): boolean {
  return listed.has(name) || (group !== undefined && listed.has(group));
}

/** The state of an asset's switch. */
export type SwitchState = {
  readonly isOn: boolean;
  /** Why the value is invalid. If set, ignore `isOn`. */
  readonly mistake?: string;
  /** True if a user explicitly requested the asset. The operator then reports why it cannot apply it. */
  readonly isAskedFor: boolean;
  readonly expected: string;
  readonly actual: string;
};

type Said = Pick<AssetHcoFact, "annotations" | "featureGates">;

/** Returns the state of a switch. An asset without a switch is on, but not requested. */
export function switchState(declared: Switch | undefined, hco: Said): SwitchState {
  if (declared === undefined) return { isOn: true, isAskedFor: false, expected: "no switch", actual: "no switch" };
  if ("gate" in declared) return gateState(declared.gate, hco);
  if ("present" in declared) return presenceState(declared.present, hco);
  const given = booleanOf(hco.annotations, declared.annotation);
  const isOn = given ?? declared.default === "on";
  const name = `${annotationPrefix}${declared.annotation}`;
  const said = annotationOf(hco.annotations, declared.annotation);
  const expected = declared.default === "on" ? `${name} not false` : `${name}=true`;
  const actual = said === undefined ? "not set" : `${name}=${shorten(said)}`;
  const mistake = said === undefined || given !== undefined ? undefined : `annotation ${name} ${notBoolean(said)}`;
  return { isOn, isAskedFor: given === true, expected, actual, ...(mistake !== undefined && { mistake }) };
}

function gateState(gate: string, said: Said): SwitchState {
  const isOn = isGateOn(said, gate);
  return { isOn, isAskedFor: isOn, expected: `feature gate ${gate} enabled`, actual: isOn ? "enabled" : "not enabled" };
}

function presenceState(key: string, { annotations }: Said): SwitchState {
  const isOn = annotationOf(annotations, key) !== undefined;
  return { isOn, isAskedFor: isOn, expected: `${annotationPrefix}${key} present`, actual: isOn ? "present" : "absent" };
}
