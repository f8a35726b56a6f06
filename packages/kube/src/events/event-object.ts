// Events as the API server takes them: names, limits, series.

import type { EventPriority } from "@virt/api";
import { cutText, type KubeObject, type Ref, sha256 } from "@virt/engine";
import { createObject, type ObjectPlace, patchObject, type Resource, type WriteRequest } from "../client/request.ts";
import { microTime } from "../clock.ts";

/** `kubectl describe` finds events by the uid. */
export type EventSubject = Ref & { readonly uid?: string };

/** Something that people may want to know. Longer texts are cut: `action` at 128 bytes, `note` at 1 kB. */
export type EventInput = {
  readonly priority: EventPriority;
  readonly regarding: EventSubject;
  readonly related?: EventSubject;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: string;
  readonly note: string;
};

export type EventSource = {
  /** A qualified name, such as the field manager. */
  readonly controller: string;
  /** The process: pod or host. */
  readonly instance: string;
  /** What the names of our events begin with. */
  readonly namePrefix: string;
};

const events: Resource = { group: "events.k8s.io", version: "v1", plural: "events", isNamespaced: true };
/** The API server refuses longer ones. */
const maxBytes = { note: 1024, action: 128, reason: 128, instance: 128 } as const;

/**
 * The same for the same subject, reason, action and (whole) note, in every process: so a restart does not repeat an
 * event. An object that was deleted and made again is another subject.
 */
export function eventName(namePrefix: string, { regarding, reason, action, note }: EventInput): string {
  const { uid, apiVersion, kind, namespace = "", name } = regarding;
  const subject = uid === undefined ? [apiVersion, kind, namespace, name] : [uid];
  return namePrefix + sha256(JSON.stringify([subject, reason, action, note])).slice(0, 16);
}

/**
 * Stands for all further events of one subject and reason while there are too many to write each. The API server lets
 * nobody change the note of an event, so it quotes the first one; its series counts them.
 */
export function combineEvents(event: EventInput): EventInput {
  const { regarding, related = regarding, reason, note } = event;
  const how = "Too many events of this kind: they are counted in this series, and each is in the log of the operator.";
  return { ...event, action: `${reason} ${subjectKey(related)} combined`, note: `${how} The first: ${note}` };
}

/** Identifies what an event is about. */
export function subjectKey({ uid, apiVersion, kind, namespace = "", name }: EventSubject): string {
  return uid ?? `${apiVersion}/${kind}/${namespace}/${name}`;
}

/** An event under its name, and when it was made. */
export type NamedEvent = { readonly name: string; readonly input: EventInput; readonly wallMs: number };

export function createEvent({ name, input, wallMs }: NamedEvent, by: EventSource): WriteRequest {
  const { regarding, related, type, reason, action, note } = input;
  const { namespace } = placeOf(name, input);
  const object: KubeObject = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name, namespace },
    eventTime: microTime(wallMs),
    regarding,
    ...(related && { related }),
    type,
    reason: cutText(reason, maxBytes.reason),
    action: cutText(action, maxBytes.action),
    note: cutText(note, maxBytes.note),
    reportingController: by.controller,
    reportingInstance: cutText(by.instance, maxBytes.instance),
  };
  return createObject(events, { namespace }, object);
}

/** Changes nothing, and is answered with the event: our role may patch events, not read them. */
export function readEvent(name: string, event: EventInput): WriteRequest {
  return patchObject(events, placeOf(name, event), {}, { type: "merge" });
}

/** `count` is how often it was seen in all, 2 or more. */
export function raiseSeries({ name, input, wallMs }: NamedEvent, count: number): WriteRequest {
  const series = { count, lastObservedTime: microTime(wallMs) };
  return patchObject(events, placeOf(name, input), { series }, { type: "merge" });
}

export function seriesCount(event: KubeObject | undefined): number {
  const { count } = (event?.["series"] ?? {}) as { readonly count?: number };
  return count ?? 1;
}

// The server takes events about cluster-scoped objects in no other namespace.
function placeOf(
  name: string,
  { regarding: { namespace = "default" } }: EventInput,
): ObjectPlace & { namespace: string } {
  return { namespace, name };
}
