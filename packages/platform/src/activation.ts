// Whether an asset is asked for: the autopilot annotation, and the switch of the asset.

import { shorten } from "./annotation-values.ts";
import type { Switch } from "./asset.ts";
import { annotationOf, annotationPrefix, booleanOf, notBoolean } from "./hco-annotations.ts";
import { type AssetHcoFact, isGateOn } from "./hco-fact.ts";

/** `always`: unless somebody opts out. `opt-in`: only once somebody opts in. */
export type ActivationMode = "always" | "opt-in";

/** Whether the operator is active, and for which assets. */
export type Activation = {
  /** Idle: nothing is written, and nothing is undone. */
  readonly isActive: boolean;
  /** Names of assets and groups that are listed; undefined: there is no list, all assets may act. */
  readonly listed: ReadonlySet<string> | undefined;
  /** Items of the list that name neither an asset nor a group; a few of them. */
  readonly unknown: readonly string[];
};

type Named = { readonly name: string; readonly group?: string };

/** The annotation, when it says something, wins over the mode. */
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

// Each becomes an event; a text of thousands is no list of assets.
const mostReported = 10;

/** Whether the list, if there is one, lets an asset act. */
export function isAllowed({ listed }: Activation, asset: Named): boolean {
  return listed === undefined || isListed(listed, asset);
}

/**
 * Returns the annotation under which the named assets may act beside those that already may; without names, all assets. Undefined: they may
 * act already.
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

/** Whether somebody asked for it by name. */
export function isAskedFor({ listed }: Activation, asset: Named): boolean {
  return listed !== undefined && isListed(listed, asset);
}

function isListed(listed: ReadonlySet<string>, { name, group }: Named): boolean {
  return listed.has(name) || (group !== undefined && listed.has(group));
}

/** Whether the switch of an asset is on, what it is compared with, and whether a person set it. */
export type SwitchState = {
  readonly isOn: boolean;
  /** Why nobody can say what was meant; then `isOn` says nothing. */
  readonly mistake?: string;
  /** Somebody asked for it by name, so that they are told when it cannot be had. */
  readonly isAskedFor: boolean;
  readonly expected: string;
  readonly actual: string;
};

type Said = Pick<AssetHcoFact, "annotations" | "featureGates">;

/** Without a switch an asset is on, and nobody asked. */
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
