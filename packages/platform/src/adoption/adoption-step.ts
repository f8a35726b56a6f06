// The steps of `adopt` and `adopt --back`. Each step follows from the cluster alone, so that a new run continues.

import {
  activationAnnotation,
  autopilotAnnotation,
  fieldManagers,
  type KubeObject,
  managedByLabel,
  type Ref,
} from "@virt/api";
import { appliedBy, type Change, equalJson, isNoFields, readOwners, writeDotted, writePath } from "@virt/objects";
import { objectName } from "../evaluate/managed-objects.ts";
import { objectAnnotations } from "../hco-annotations.ts";
import { adoptedChanges, refOfObject } from "./adoption-row.ts";
import { type AnnotationChanges, type AnnotationOperation, annotationPatch } from "./annotation-patch.ts";

/** An object of theirs that objects of ours with other names replace. */
export type Replacement = { readonly theirs: KubeObject; readonly ours: readonly Ref[] };

/** An object as the preview showed it, and as our dry run predicts it. */
export type AdoptedObject = { readonly live: KubeObject; readonly predicted: KubeObject };

/** The agreed result of `adopt`. Objects are as the preview showed them. */
export type AdoptionPlan = {
  readonly hco: KubeObject;
  /** The annotations of the HyperConverged that switch the autopilot off and our controller on for equal objects. */
  readonly annotations: AnnotationChanges;
  readonly takeOver: readonly AdoptedObject[];
  /** Node objects with our name and another content. Ours is applied over them. */
  readonly overwrite: readonly AdoptedObject[];
  readonly replace: readonly Replacement[];
  /** The value of our key that also lists the assets of `overwrite` and `replace`. */
  readonly keyWithReplaced: string;
  /** Names of the pools that `overwrite` and `replace` affect. */
  readonly pools: readonly string[];
};

/** The state of the cluster before a step. */
export type ObservedAdoption = {
  /** Undefined if the HyperConverged does not exist. */
  readonly hco: KubeObject | undefined;
  readonly isAutopilotOff: boolean;
  /** Those of the plan's pools that are rolling out a change. */
  readonly rollingPools: readonly string[];
  readonly live: (ref: Ref) => KubeObject | undefined;
};

/** The next request or wait. `changed`: the preview no longer describes the cluster. */
export type AdoptionStep =
  | { readonly kind: "patch"; readonly object: KubeObject; readonly patch: readonly AnnotationOperation[] }
  | { readonly kind: "wait-until-off" }
  | { readonly kind: "wait-until-idle" }
  | { readonly kind: "wait-until-ours"; readonly refs: readonly Ref[] }
  | { readonly kind: "delete"; readonly object: KubeObject }
  | { readonly kind: "changed"; readonly message: string }
  | { readonly kind: "done" };

/** Returns the first step of `adopt` that is not complete. */
export function nextAdoptionStep(plan: AdoptionPlan, observed: ObservedAdoption): AdoptionStep {
  return (
    refuseRolling(plan, observed) ??
    switchOver(plan, observed) ??
    (observed.isAutopilotOff ? undefined : { kind: "wait-until-off" }) ??
    handOver(plan.takeOver, observed) ??
    (plan.overwrite.length + plan.replace.length === 0 ? undefined : replaceObjects(plan, observed)) ?? { kind: "done" }
  );
}

/** A pool that already rolls would reboot nodes twice. Once step 4 has started, stopping would do the same. */
function refuseRolling(plan: AdoptionPlan, { rollingPools, live }: ObservedAdoption): AdoptionStep | undefined {
  const [pool] = rollingPools;
  const isStarted = [...plan.overwrite.map((one) => one.live), ...plan.replace.map(({ theirs }) => theirs)].some(
    (before) => {
      const object = live(refOfObject(before));
      return object === undefined || object.metadata.annotations?.[adopt] !== undefined;
    },
  );
  if (pool === undefined || isStarted) return undefined;
  return { kind: "changed", message: `MachineConfigPool ${pool} is rolling out another change` };
}

/** Step 1. A longer list of assets is from step 4, and stays. */
function switchOver(plan: AdoptionPlan, { hco }: ObservedAdoption): AdoptionStep | undefined {
  const found = sameHco(plan.hco, hco);
  if (found.kind === "changed") return found;
  const isExtended = found.hco.metadata.annotations?.[activationAnnotation] === plan.keyWithReplaced;
  const keys = [plan.annotations, { [activationAnnotation]: plan.keyWithReplaced }];
  const moved = movedKey(plan.hco, found.hco, keys);
  if (moved !== undefined) return moved;
  return patchStep(found.hco, {
    ...plan.annotations,
    ...(isExtended && { [activationAnnotation]: plan.keyWithReplaced }),
  });
}

/** Step 3. Waits until our controller has applied the objects, so that the next step starts from a settled state. */
function handOver(previewed: readonly AdoptedObject[], { live }: ObservedAdoption): AdoptionStep | undefined {
  const there = previewed.flatMap((before) => {
    const object = live(refOfObject(before.live));
    return object === undefined ? [] : [{ before, object }];
  });
  const open = there.find(({ object }) => !isOurs(object) && object.metadata.annotations?.[adopt] !== "true");
  if (open !== undefined) {
    return findChange(open.before, open.object) ?? patchStep(open.object, { [adopt]: "true" }, true);
  }
  const refs = there.flatMap(({ object }) => (isOurs(object) ? [] : [refOfObject(object)]));
  return refs.length === 0 ? undefined : { kind: "wait-until-ours", refs };
}

const { adopt } = objectAnnotations;

/** Step 4. All of it happens within the seconds that the Machine Config Operator waits before it renders. */
function replaceObjects(plan: AdoptionPlan, observed: ObservedAdoption): AdoptionStep | undefined {
  const { hco = plan.hco } = observed;
  const open = plan.replace.flatMap(({ theirs, ours }) => {
    const object = observed.live(refOfObject(theirs));
    return object === undefined ? [] : [{ before: theirs, object, ours }];
  });
  const missing = open.flatMap(({ ours }) => ours.filter((ref) => observed.live(ref) === undefined));
  const [moved] = open.flatMap(({ before, object }) => findChange({ live: before, predicted: before }, object) ?? []);
  if (moved !== undefined) return moved;
  const listed = patchStep(hco, { [activationAnnotation]: plan.keyWithReplaced });
  if (listed !== undefined) return listed;
  const marked = open.find(({ object }) => object.metadata.annotations?.[adopt] !== "replace");
  if (marked !== undefined) return patchStep(marked.object, { [adopt]: "replace" }, true);
  const replaced = open.find(({ ours }) => ours.every((ref) => observed.live(ref) !== undefined));
  if (replaced !== undefined) return { kind: "delete", object: replaced.object };
  if (missing.length > 0) return { kind: "wait-until-ours", refs: missing };
  return handOver(plan.overwrite, observed);
}

/** The agreed result of `adopt --back`. */
export type ReturnPlan = {
  readonly hco: KubeObject;
  /** Objects that may have the annotation `adopt`. */
  readonly adopted: readonly KubeObject[];
};

/** The state of the cluster before a step back. */
export type ObservedReturn = Pick<ObservedAdoption, "hco" | "live"> & {
  /** True once our controller has read its key, or does not run. */
  readonly isControllerIdle: boolean;
};

/** Returns the first step of `adopt --back` that is not complete. Our controller is idle before theirs starts. */
export function nextReturnStep(plan: ReturnPlan, observed: ObservedReturn): AdoptionStep {
  const found = sameHco(plan.hco, observed.hco);
  if (found.kind === "changed") return found;
  const wanted = { [activationAnnotation]: "false", [autopilotAnnotation]: null };
  const moved = movedKey(plan.hco, found.hco, [wanted]);
  if (moved !== undefined) return moved;
  const off = patchStep(found.hco, { [activationAnnotation]: "false" });
  if (off !== undefined) return off;
  if (!observed.isControllerIdle) return { kind: "wait-until-idle" };
  const open = plan.adopted.flatMap((before) => observed.live(refOfObject(before)) ?? []);
  const marked = open.find((object) => object.metadata.annotations?.[adopt] !== undefined);
  if (marked !== undefined) return patchStep(marked, { [adopt]: null }) ?? { kind: "done" };
  return patchStep(found.hco, { [autopilotAnnotation]: null }) ?? { kind: "done" };
}

function sameHco(
  previewed: KubeObject,
  hco: KubeObject | undefined,
): { readonly kind: "found"; readonly hco: KubeObject } | Extract<AdoptionStep, { kind: "changed" }> {
  if (hco?.metadata.uid === previewed.metadata.uid && hco !== undefined) return { kind: "found", hco };
  return { kind: "changed", message: `${objectName(refOfObject(previewed))} was deleted` };
}

/** Finds an annotation with neither the previewed nor a wanted value, so that no decision of another user is lost. */
function movedKey(
  previewed: KubeObject,
  hco: KubeObject,
  wanted: readonly AnnotationChanges[],
): AdoptionStep | undefined {
  const valueIn = ({ metadata }: KubeObject, key: string) => metadata.annotations?.[key] ?? null;
  const changedKey = wanted
    .flatMap((values) => Object.keys(values))
    .find((key) => {
      const accepted = [
        valueIn(previewed, key),
        ...wanted.flatMap((values) => values[key] ?? (key in values ? null : [])),
      ];
      return !accepted.includes(valueIn(hco, key));
    });
  if (changedKey === undefined) return undefined;
  return { kind: "changed", message: `annotation ${changedKey} has changed since the preview` };
}

function patchStep(object: KubeObject, changes: AnnotationChanges, isExact = false): AdoptionStep | undefined {
  const patch = annotationPatch(object, changes, { isExact });
  return patch.length === 0 ? undefined : { kind: "patch", object, patch };
}

/** Our controller may have applied a part of the prediction already: it shares the HyperConverged with the autopilot. */
function findChange({ live, predicted }: AdoptedObject, object: KubeObject): AdoptionStep | undefined {
  const name = objectName(refOfObject(object));
  if (live.metadata.uid !== object.metadata.uid) return { kind: "changed", message: `${name} was replaced` };
  const planned = adoptedChanges(live, predicted);
  const isPlanned = ({ path, desired }: Change) =>
    planned.some((one) => writePath(one.path) === writePath(path) && equalJson(one.desired, desired));
  const change = adoptedChanges(live, object).find((one) => !isPlanned(one));
  if (change === undefined) return undefined;
  return { kind: "changed", message: `${writeDotted(change.path)} of ${name} has changed since the preview` };
}

/** Reports whether our controller applies the object. The HyperConverged may keep their label. */
export function isOurs(object: KubeObject): boolean {
  if (isNoFields(appliedBy(readOwners(object), fieldManagers.platform))) return false;
  const { labels, annotations } = object.metadata;
  if (labels?.[managedByLabel.key] === managedByLabel.value) return true;
  return object.kind === "HyperConverged" && annotations?.[adopt] === "true";
}
