// Builds the requests for events within the limits of the API server.

import type { EventPriority } from "@virt/api";
import { cutText, type KubeObject, type Ref, sha256 } from "@virt/objects";
import { createObject, type ObjectPlace, patchObject, type Resource, type WriteRequest } from "../client/request.ts";
import { microTime } from "../clock.ts";

/** `kubectl describe` finds the events of an object by its uid. */
export type EventSubject = Ref & { readonly uid?: string };

/** Truncates longer strings: `action` at 128 bytes, `note` at 1 KiB. */
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
  readonly controller: string;
  readonly instance: string;
  readonly namePrefix: string;
};

const events: Resource = { group: "events.k8s.io", version: "v1", plural: "events", isNamespaced: true };
/** The limits of the API server in bytes. */
const maxBytes = { note: 1024, action: 128, reason: 128, instance: 128 } as const;

/** Returns the same name in every process, so that a restart repeats no event. Re-created objects count as new. */
export function eventName(namePrefix: string, { regarding, reason, action, note }: EventInput): string {
  const { uid, apiVersion, kind, namespace = "", name } = regarding;
  const subject = uid === undefined ? [apiVersion, kind, namespace, name] : [uid];
  return namePrefix + sha256(JSON.stringify([subject, reason, action, note])).slice(0, 16);
}

/**
 * Returns the event that represents all subsequent events of a subject and reason. It quotes the first event, because
 * notes are immutable, and its series counts the rest.
 */
export function combineEvents(event: EventInput): EventInput {
  const { regarding, related = regarding, reason, note } = event;
  const how = "Too many events of this kind. This event counts them. The operator's log contains each one.";
  return { ...event, action: `${reason} ${subjectKey(related)} combined`, note: `${how} The first: ${note}` };
}

export function subjectKey({ uid, apiVersion, kind, namespace = "", name }: EventSubject): string {
  return uid ?? `${apiVersion}/${kind}/${namespace}/${name}`;
}

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

/** Returns an empty patch. The response has the event, which the operator's role may patch but not get. */
export function readEvent(name: string, event: EventInput): WriteRequest {
  return patchObject(events, placeOf(name, event), {}, { type: "merge" });
}

/** Sets the series count: the total number of occurrences, at least 2. */
export function raiseSeries({ name, input, wallMs }: NamedEvent, count: number): WriteRequest {
  const series = { count, lastObservedTime: microTime(wallMs) };
  return patchObject(events, placeOf(name, input), { series }, { type: "merge" });
}

export function seriesCount(event: KubeObject | undefined): number {
  const { count } = (event?.["series"] ?? {}) as { readonly count?: number };
  return count ?? 1;
}

// Events about cluster-scoped objects must be in the default namespace.
function placeOf(
  name: string,
  { regarding: { namespace = "default" } }: EventInput,
): ObjectPlace & { namespace: string } {
  return { namespace, name };
}
