// The annotations on one object by which people adjust it, and mistakes in them: such an object is held as it is.

import type { KubeObject } from "@virt/api";
import { oncePer } from "@virt/engine";
import { didYouMean, likelyMeant, shorten } from "../annotation-values.ts";
import { annotationPrefix, isHcoKey, notBoolean, objectAnnotations, objectKeys } from "../hco-annotations.ts";

export type Overrides = {
  readonly patch: string | undefined;
  readonly ignoreFields: string | undefined;
  readonly isUnmanaged: boolean;
  readonly isAdopted: boolean;
  readonly isPaused: boolean;
  /** What was said and cannot be read: while there is any, nothing is written to the object. */
  readonly mistakes: readonly OverrideMistake[];
};

/** The overrides on an object; of an absent one there are none. Never throws: what cannot be read is a mistake. */
export function readOverrides(live: KubeObject | undefined): Overrides {
  const annotations = live?.metadata.annotations ?? {};
  const said = (key: keyof typeof objectAnnotations) => annotations[objectAnnotations[key]]?.trim();
  return {
    patch: said("patch") || undefined,
    ignoreFields: said("ignoreFields") || undefined,
    isUnmanaged: said("mode") === "unmanaged",
    isAdopted: said("adopt") === "true",
    isPaused: said("paused") === "true",
    mistakes: live === undefined ? [] : overrideMistakes(live),
  };
}

export type OverrideMistake = {
  /** Of the event. */
  readonly reason: "UnknownAnnotation" | "InvalidMode" | "InvalidConfiguration";
  /** The annotation's whole name. */
  readonly key: string;
  readonly message: string;
};

/** The first few unknown keys, then values. */
const overrideMistakes = oncePer((live: KubeObject): readonly OverrideMistake[] => {
  const { kind, metadata } = live;
  const { annotations = {} } = metadata;
  const isHco = kind === "HyperConverged";
  const unknown = Object.keys(annotations)
    .filter((name) => name.startsWith(annotationPrefix))
    .map((name) => name.slice(annotationPrefix.length))
    .filter((key) => !objectKeys.includes(key))
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
    ...[objectAnnotations.paused, objectAnnotations.adopt].flatMap((key) => {
      const value = annotations[key]?.trim() ?? "";
      const isReadable = value === "" || value === "true" || value === "false";
      return isReadable ? [] : [{ reason: "InvalidConfiguration", key, message: notBoolean(value) } as const];
    }),
  ];
});

// Each becomes an event.
const mostUnknown = 3;
// To find the word that was meant takes time, and an object may carry thousands of annotations.
const mostExamined = 100;

/** The HyperConverged carries switches of its own, which are reported apart and hold nothing. */
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
