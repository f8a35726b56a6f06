// What a pass did, in the words of events: told once, when it happened.

import type { Ref } from "@virt/api";
import { writePath } from "@virt/engine";
import type { Evaluated } from "@virt/platform";
import type { Kept } from "./acting.ts";
import type { Pass } from "./keep.ts";
import { keyOf } from "./objects.ts";
import { activeAssets, driftTold, normal, type Told } from "./tell.ts";

export function happened(ref: Ref, { kept, evaluated }: Pass): readonly Told[] {
  if (kept.kind !== "applied") return [];
  const name = keyOf(ref);
  return [...doneTold(name, kept), ...appliedTold(name, kept, evaluated)];
}

type Applied = Extract<Kept, { kind: "applied" }>;

function doneTold(name: string, { apply: { done } }: Applied): readonly Told[] {
  const { patched, released, isResumed } = done;
  return [
    ...(isResumed ? resumedTold(name) : []),
    ...(patched > 0 ? normal("PatchApplied", `Applied ${patched} JSON patch operation(s) to ${name}`) : []),
    ...(released.length > 0
      ? normal("FieldsReleased", `Released ${released.map(writePath).join(", ")} of ${name}`)
      : []),
  ];
}

export function resumedTold(name: string): readonly Told[] {
  return normal("ReconcileResumed", `Reconciliation of ${name} resumed`);
}

function appliedTold(name: string, { apply }: Applied, evaluated: Evaluated): readonly Told[] {
  if (apply.cause !== "drift") return normal("AssetApplied", `Applied asset ${activeAssets(evaluated)}: ${name}`);
  return [...driftTold(name, apply), ...normal("DriftCorrected", `Corrected drift for ${name}`)];
}
