// Converts events of both controllers to rows, newest first.

import type { KubeObject } from "@virt/api";
import { asNumber, asText, at, oncePer } from "@virt/objects";

export type EventLine = {
  readonly key: string;
  /** The time of the last occurrence, in RFC 3339 format. */
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  /** `<Kind> <namespace>/<name>` */
  readonly object: string;
  readonly related: string;
  readonly count: number;
};

export function eventLines(events: readonly KubeObject[]): readonly EventLine[] {
  return events.map(lineOf).toSorted((left, right) => (left.time < right.time ? 1 : left.time > right.time ? -1 : 0));
}

/** Cached per event, so that unchanged rows do not re-render. */
const lineOf = oncePer((event: KubeObject): EventLine => {
  return {
    key: `${event.metadata.namespace ?? ""}/${event.metadata.name}`,
    time:
      asText(at(event, "series", "lastObservedTime")) ??
      asText(at(event, "eventTime")) ??
      asText(at(event, "metadata", "creationTimestamp")) ??
      "",
    type: asText(at(event, "type")) ?? "",
    reason: asText(at(event, "reason")) ?? "",
    note: asText(at(event, "note")) ?? "",
    object: nameOf(event, "regarding"),
    related: nameOf(event, "related"),
    count: asNumber(at(event, "series", "count")) ?? 1,
  };
});

function nameOf(event: KubeObject, member: string): string {
  const text = (key: string) => asText(at(event, member, key)) ?? "";
  const namespace = text("namespace");
  return text("name") === "" ? "" : `${text("kind")} ${namespace === "" ? "" : `${namespace}/`}${text("name")}`;
}

export function fitsFilter(texts: readonly string[], filter: string): boolean {
  if (filter === "") return true;
  const all = texts.join(" ").toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
