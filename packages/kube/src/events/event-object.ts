// Events as the API server takes them: names, limits, series.

import { type KubeObject, type Ref, sha256 } from "@virt/engine";
import { microTime } from "../lease/micro-time.ts";
import { cutText } from "../wire/cut-text.ts";
import { type ApiRequest, createObject, type Place, patchObject, type Resource } from "../wire/request.ts";

/** `kubectl describe` finds events by the uid. */
export type Subject = Ref & { readonly uid?: string };

/** Something that people may want to know. Longer texts are cut: `action` at 128 bytes, `note` at 1 kB. */
export type Announcement = {
  readonly regarding: Subject;
  readonly related?: Subject;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: string;
  readonly note: string;
};

export type Reporter = {
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
export function eventName(namePrefix: string, { regarding, reason, action, note }: Announcement): string {
  const { uid, apiVersion, kind, namespace = "", name } = regarding;
  const subject = uid === undefined ? [apiVersion, kind, namespace, name] : [uid];
  return namePrefix + sha256(JSON.stringify([subject, reason, action, note])).slice(0, 16);
}

/** An announcement under its name, and when it was made. */
export type Named = { readonly name: string; readonly announcement: Announcement; readonly wallMs: number };

export function createEvent({ name, announcement, wallMs }: Named, by: Reporter): ApiRequest {
  const { regarding, related, type, reason, action, note } = announcement;
  const { namespace } = placeOf(name, announcement);
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
export function readEvent(name: string, announcement: Announcement): ApiRequest {
  return patchObject(events, placeOf(name, announcement), {}, { type: "merge" });
}

/** `count` is how often it was seen in all, 2 or more. */
export function raiseSeries({ name, announcement, wallMs }: Named, count: number): ApiRequest {
  const series = { count, lastObservedTime: microTime(wallMs) };
  return patchObject(events, placeOf(name, announcement), { series }, { type: "merge" });
}

export function seriesCount(event: KubeObject | undefined): number {
  const { count } = (event?.["series"] ?? {}) as { readonly count?: number };
  return count ?? 1;
}

// The server takes events about cluster-scoped objects in no other namespace.
function placeOf(name: string, { regarding: { namespace = "default" } }: Announcement): Place & { namespace: string } {
  return { namespace, name };
}
