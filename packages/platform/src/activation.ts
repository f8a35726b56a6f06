// Decides whether the platform controller is active, and reads the switches of assets.

import { shorten } from "./annotation-values.ts";
import type { Switch } from "./asset.ts";
import type { LegacyConsent } from "./consent/legacy-consent.ts";
import { annotationOf, annotationPrefix, booleanOf, notBoolean } from "./hco-annotations.ts";
import { type AssetHcoFact, isGateOn } from "./hco-fact.ts";

/** `always`: active unless an administrator opts out. `opt-in`: active only after an administrator opts in. */
export type ActivationMode = "always" | "opt-in";

/** The origin of the activation: our own key, the key of earlier releases, or the flag. */
export type ActivationSource = "key" | "legacy" | "flag";

/** The assets that the activation enables. */
export type Activation = {
  /** False while the operator is idle. It then changes nothing. */
  readonly isActive: boolean;
  /** The listed assets and groups. Undefined if there is no list, in which case all assets are enabled. */
  readonly listed: ReadonlySet<string> | undefined;
  /** List items that match neither an asset nor a group, at most 10. */
  readonly unknown: readonly string[];
  readonly source: ActivationSource;
  /** The trimmed value of the annotation. Empty with source `flag`. */
  readonly text: string;
  /** The value of annotation `autopilot` if it would enable an earlier release, but not this one. */
  readonly ignored?: string;
};

type Named = { readonly name: string; readonly group?: string };

/** The annotations and facts that decide about the activation. */
export type ActivationInput = {
  /** The value of our own key. */
  readonly key: string | undefined;
  /** The exact value of annotation `autopilot`. It belongs to virt-platform-autopilot if that is present. */
  readonly autopilot: string | undefined;
  /** True if virt-platform-autopilot is installed, was installed, or cannot be looked up. */
  readonly isAutopilotPresent: boolean;
  /** The value of annotation `autopilot` that was in effect when an earlier release was upgraded. */
  readonly consent: LegacyConsent | undefined;
};

/**
 * Decides about the activation. Next to virt-platform-autopilot, a change of its annotation never activates the
 * controller.
 */
export function decideActivation(
  { key, autopilot, isAutopilotPresent, consent }: ActivationInput,
  mode: ActivationMode,
  assets: readonly Named[],
): Activation {
  if (isGiven(key)) return { ...readActivation(key, assets), source: "key", text: key.trim() };
  const isConsented = consent !== undefined && !consent.isEnded && consent.autopilot === autopilot;
  if (isGiven(autopilot) && (isConsented || !isAutopilotPresent))
    return { ...readActivation(autopilot, assets), source: "legacy", text: autopilot.trim() };
  const isOff = autopilot?.trim() === "false" || (isAutopilotPresent && consent?.isEnded === true);
  const isActive = mode === "always" && !isOff;
  const ignored =
    isGiven(autopilot) && autopilot.trim() !== "false" && !isActive ? shorten(autopilot.trim()) : undefined;
  return {
    isActive,
    listed: undefined,
    unknown: [],
    source: "flag",
    text: "",
    ...(ignored !== undefined && { ignored }),
  };
}

function isGiven(annotation: string | undefined): annotation is string {
  return annotation !== undefined && annotation.trim() !== "";
}

/** Returns the assets that a value enables: `true`, `false` or a list. */
export function readActivation(
  annotation: string,
  assets: readonly Named[],
): Pick<Activation, "isActive" | "listed" | "unknown"> {
  const text = annotation.trim();
  if (text === "true" || text === "false") return { isActive: text === "true", listed: undefined, unknown: [] };
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

/** Returns the value of our key that activates the same assets. Undefined if the controller is idle. */
export function activationValue({ isActive, listed }: Activation): string | undefined {
  if (!isActive) return undefined;
  return listed === undefined ? "true" : [...listed].join(",");
}

/** Returns the value of our key that also enables the named assets, or all without names. Undefined if unchanged. */
export function enablingAnnotation(
  activation: Activation,
  { assets, names }: { readonly assets: readonly Named[]; readonly names: readonly string[] },
): string | undefined {
  const { isActive, listed, text } = activation;
  if (isActive && listed === undefined) return undefined;
  if (names.length === 0) return "true";
  const isAllowedNow = (name: string) =>
    isActive && isAllowed(activation, assets.find((asset) => asset.name === name) ?? { name });
  const added = [...new Set(names)].filter((name) => !isAllowedNow(name));
  if (added.length === 0) return undefined;
  return [...(listed === undefined ? [] : [text]), ...added].join(",");
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
