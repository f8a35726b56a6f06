// Reads the user's annotations on one object. The operator does not write to an object with invalid annotations.

import { fieldManagers, type KubeObject } from "@virt/api";
import { oncePer } from "@virt/objects";
import { didYouMean, likelyMeant, shorten } from "../annotation-values.ts";
import {
  annotationPrefix,
  isAutopilotKey,
  isHcoKey,
  notBoolean,
  objectAnnotations,
  objectKeys,
} from "../hco-annotations.ts";

export type Overrides = {
  readonly patch: string | undefined;
  readonly ignoreFields: string | undefined;
  /** True if the object is unmanaged, and annotation governor does not name this operator. */
  readonly isUnmanaged: boolean;
  /** True if the object is unmanaged for others, and annotation governor names this operator. */
  readonly isGoverned: boolean;
  readonly isAdopted: boolean;
  readonly isPaused: boolean;
  readonly mistakes: readonly OverrideMistake[];
};

/** Returns the overrides on an object, or defaults if it is absent. Never throws: lists invalid values as mistakes. */
export function readOverrides(live: KubeObject | undefined): Overrides {
  const annotations = live?.metadata.annotations ?? {};
  const said = (key: keyof typeof objectAnnotations) => annotations[objectAnnotations[key]]?.trim();
  return {
    patch: said("patch") || undefined,
    ignoreFields: said("ignoreFields") || undefined,
    isUnmanaged: said("mode") === "unmanaged" && said("governor") !== fieldManagers.platform,
    isGoverned: said("mode") === "unmanaged" && said("governor") === fieldManagers.platform,
    isAdopted: said("adopt") === "true",
    isPaused: said("paused") === "true",
    mistakes: live === undefined ? [] : overrideMistakes(live),
  };
}

export type OverrideMistake = {
  readonly reason: "UnknownAnnotation" | "InvalidMode" | "InvalidConfiguration";
  readonly key: string;
  readonly message: string;
};

/** Returns at most 3 unknown keys, then invalid values. */
const overrideMistakes = oncePer((live: KubeObject): readonly OverrideMistake[] => {
  const { kind, metadata } = live;
  const { annotations = {} } = metadata;
  const isHco = kind === "HyperConverged";
  const unknown = Object.keys(annotations)
    .filter((name) => name.startsWith(annotationPrefix))
    .map((name) => name.slice(annotationPrefix.length))
    .filter((key) => !objectKeys.includes(key) && !isAutopilotKey(key))
    .toSorted()
    .slice(0, mostExamined)
    .filter((key) => !isHco || isMeantForObject(key))
    .slice(0, mostUnknown)
    .map(unknownKey);
  const modes = ["unmanaged", "managed"];
  const mode = annotations[objectAnnotations.mode]?.trim() ?? "";
  return [
    ...unknown,
    ...(mode === "" || modes.includes(mode) ? [] : [invalidMode(mode, modes)]),
    ...governorMistakes(annotations[objectAnnotations.governor]?.trim() ?? ""),
    ...[objectAnnotations.paused, objectAnnotations.adopt].flatMap((key) => {
      const value = annotations[key]?.trim() ?? "";
      const isReadable = value === "" || value === "true" || value === "false";
      return isReadable ? [] : [{ reason: "InvalidConfiguration", key, message: notBoolean(value) } as const];
    }),
  ];
});

function governorMistakes(governor: string): readonly OverrideMistake[] {
  const { platform } = fieldManagers;
  if (governor === "" || governor === platform) return [];
  const message = `must be ${platform} or empty, not ${JSON.stringify(shorten(governor))}${didYouMean(governor, [platform])}`;
  return [{ reason: "InvalidConfiguration", key: objectAnnotations.governor, message }];
}

const mostUnknown = 3;
// Finding a suggestion is slow, and an object may have thousands of annotations.
const mostExamined = 100;

/** Reports whether a key on the HyperConverged is a mistyped object key. Other mistakes do not hold that object. */
function isMeantForObject(key: string): boolean {
  return !isHcoKey(key) && likelyMeant(key, objectKeys) !== undefined;
}

function unknownKey(key: string): OverrideMistake {
  const message = isHcoKey(key)
    ? "it has an effect only on the HyperConverged"
    : `known annotations are ${objectKeys.filter((one) => one !== "state").join(", ")}${suggestion(key)}`;
  return { reason: "UnknownAnnotation", key: `${annotationPrefix}${shorten(key)}`, message };
}

function suggestion(key: string): string {
  const meant = likelyMeant(key, objectKeys);
  return meant === undefined ? "" : `; did you mean ${annotationPrefix}${meant}?`;
}

function invalidMode(mode: string, modes: readonly string[]): OverrideMistake {
  const message = `must be unmanaged, managed or empty, not ${JSON.stringify(shorten(mode))}${didYouMean(mode, modes)}`;
  return { reason: "InvalidMode", key: objectAnnotations.mode, message };
}
