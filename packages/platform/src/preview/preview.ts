import type { Json, KubeObject, Ref } from "@virt/api";
import { asList, asText, at, fullBucket, isMap, member } from "@virt/objects";
import { loadAll } from "js-yaml";
import { decideObject } from "../baseline/decide-object.ts";
import type { ObjectDecision } from "../baseline/decision.ts";
import { buildIntent, type IntendedObject } from "../baseline/intent.ts";
import { type ObjectMemory, type ObservedObject, observeObject, shapeOfObject } from "../baseline/observe-object.ts";
import { readOverrides } from "../baseline/overrides.ts";
import { readState } from "../baseline/state.ts";
import type { ClusterFacts } from "../evaluate/cluster-facts.ts";
import { type EvaluatedObject, evaluateObject, type ManagedObject } from "../evaluate/evaluate-object.ts";
import { decisionsFor } from "../hco-content.ts";
import { limitInputWrite, noteInputs } from "../reboot/input-limit.ts";
import { nodeWriteOf } from "../reboot/node-write.ts";
import { type ManagedBy, managedBy } from "./managed-by.ts";

/** The controller's evaluation of one object and its decision. */
export type Preview = {
  readonly object: ManagedObject;
  readonly live: KubeObject | undefined;
  readonly evaluated: EvaluatedObject;
  /** The decision. Absent if no asset is active or an asset is on hold. */
  readonly decided?: { readonly decision: ObjectDecision; readonly intended?: IntendedObject };
  readonly managedBy: ManagedBy;
};

export type PreviewInput = {
  readonly facts: ClusterFacts;
  readonly now: number;
  /** The current time, from the same clock as `memory`. */
  readonly monotonicMs?: number;
  readonly memory?: ObjectMemory | undefined;
  /** The evaluation. If absent, the object is evaluated here. */
  readonly evaluated?: EvaluatedObject | undefined;
  /**
   * Returns the decision after the gates. If absent, only the input limit applies, based on the stored state of the
   * object.
   */
  readonly gated?: ((object: ManagedObject, decision: ObjectDecision) => ObjectDecision) | undefined;
  readonly hco?: KubeObject | undefined;
  /** Returns why it is unknown whether the object exists, or undefined if it certainly does not. */
  readonly unreadReason?: ((ref: Ref) => string | undefined) | undefined;
};

const noMemory: ObjectMemory = { bucket: fullBucket, wasThere: false };

/** Evaluates and decides as the controller does. */
export function previewObject(object: ManagedObject, previewing: PreviewInput): Preview {
  const { facts, now, monotonicMs = 0, memory = noMemory, unreadReason, gated } = previewing;
  const evaluated =
    previewing.evaluated ??
    evaluateObject(object, { facts, shapeOf: shapeOfObject(object, facts), lastKnown: new Map() });
  const live = facts.live(object.ref);
  const { wanted } = evaluated;
  const shown = (decision?: ObjectDecision) => {
    const { autopilot } = facts;
    return { object, live, evaluated, managedBy: managedBy({ live, evaluated, decision, autopilot }) };
  };
  if (wanted.kind !== "object") return shown();
  const message = unreadReason?.(object.ref);
  if (message !== undefined) {
    const decision = { kind: "held", reason: "InputUnavailable", message } as const;
    return { ...shown(decision), decided: { decision } };
  }
  const observed = observeObject(object, wanted, { facts, now, monotonicMs, memory });
  const intended = buildIntent(observed, readOverrides(live), readState(live));
  const decided = decideObject(observed);
  const decision = gated?.(object, decided) ?? limitAtStart(decided, { ...previewing, object, evaluated, observed });
  return { ...shown(decision), decided: { decision, intended } };
}

type StartingPreview = Pick<Preview, "object" | "evaluated"> &
  Pick<PreviewInput, "facts" | "hco" | "now"> & { readonly observed: ObservedObject };

/** Applies the input limit, as a controller does right after it starts. */
function limitAtStart(
  decided: ObjectDecision,
  { facts, hco, object, evaluated, observed, now }: StartingPreview,
): ObjectDecision {
  if (hco === undefined) return decided;
  const { live, shapeOf, baseline, parts } = observed;
  const decisions = decisionsFor(hco, evaluated, facts.activation);
  const inputs = noteInputs(undefined, { wanted: { baseline, parts }, decisions, version: undefined, live });
  return limitInputWrite(decided, { write: nodeWriteOf(object, decided, { live, shapeOf }), inputs, now });
}

export type ObjectsText =
  | { readonly kind: "objects"; readonly objects: readonly KubeObject[] }
  | { readonly kind: "refused"; readonly reason: string };

/** Reads objects and lists from YAML. Skips empty documents. One invalid object makes the whole file invalid. */
export function readObjects(text: string): ObjectsText {
  let documents: readonly Json[];
  try {
    documents = loadAll(text, { maxAliases: 0 }) as readonly Json[];
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n", 1);
    return { kind: "refused", reason: `not YAML: ${line}` };
  }
  const given = documents.filter((document) => document !== null && document !== undefined).flatMap(itemsOf);
  const objects = given.filter(isObject);
  const other = given.findIndex((one) => !isObject(one));
  if (other !== -1)
    return { kind: "refused", reason: `object ${other + 1} must have apiVersion, kind and metadata.name` };
  return { kind: "objects", objects };
}

function itemsOf(document: Json): readonly Json[] {
  const isList = asText(member(document, "kind"))?.endsWith("List") === true && member(document, "items") !== undefined;
  return isList ? asList(member(document, "items")) : [document];
}

function isObject(value: Json): value is KubeObject {
  const texts = [member(value, "apiVersion"), member(value, "kind"), at(value, "metadata", "name")];
  return isMap(value) && texts.every((text) => asText(text) !== undefined && text !== "");
}
