// Whether the switch of an asset is on, and whether a person turned it.

import type { Switch } from "./asset.ts";
import { annotationOf, annotationPrefix, booleanOf } from "./hco-annotations.ts";
import { type HcoFact, isGateOn } from "./hco-fact.ts";

export type SwitchState = {
  readonly isOn: boolean;
  /** Somebody asked for it by name, so that they are told when it cannot be had. */
  readonly isAskedFor: boolean;
  readonly expected: string;
  readonly actual: string;
};

type Said = Pick<HcoFact, "annotations" | "featureGates">;

/** Without a switch an asset is on, and nobody asked. */
export function switchState(declared: Switch | undefined, said: Said): SwitchState {
  if (declared === undefined) return { isOn: true, isAskedFor: false, expected: "no switch", actual: "no switch" };
  if ("gate" in declared) return gateState(declared.gate, said);
  if ("present" in declared) return presenceState(declared.present, said);
  const given = booleanOf(said.annotations, declared.annotation);
  const isOn = given ?? declared.default === "on";
  const name = `${annotationPrefix}${declared.annotation}`;
  const expected = declared.default === "on" ? `${name} not false` : `${name}=true`;
  return { isOn, isAskedFor: given === true, expected, actual: given === undefined ? "not set" : `${name}=${given}` };
}

function gateState(gate: string, said: Said): SwitchState {
  const isOn = isGateOn(said, gate);
  return { isOn, isAskedFor: isOn, expected: `feature gate ${gate} enabled`, actual: isOn ? "enabled" : "not enabled" };
}

function presenceState(key: string, { annotations }: Said): SwitchState {
  const isOn = annotationOf(annotations, key) !== undefined;
  return { isOn, isAskedFor: isOn, expected: `${annotationPrefix}${key} present`, actual: isOn ? "present" : "absent" };
}
