// Builds the timeline of a config from its phase, items, nodes and events, newest first.

import { type KubeObject, phases, type VirtPlatformConfig } from "@virt/api";
import { oncePer } from "@virt/objects";
import { type EventLine, eventLines } from "./events.ts";

export type TimelineEntry = {
  readonly key: string;
  readonly time: string;
  readonly kind: "phase" | "item" | "node" | "event";
  readonly word: string;
  readonly text: string;
  readonly isWarning: boolean;
};

const badWords: ReadonlySet<string> = new Set([
  "Failed",
  "CompletedWithErrors",
  "PrerequisiteFailed",
  "Drifted",
  "Degraded",
]);

export function timelineOf(config: VirtPlatformConfig, events: readonly KubeObject[]): readonly TimelineEntry[] {
  const own = `${config.kind} ${config.metadata.name}`;
  const reported = eventLines(events)
    .filter(({ object }) => object === own)
    .map((line) => entryOfEvent(line));
  // If an event has the same text, it replaces the entry, because its time is more accurate.
  const isReported = ({ text }: TimelineEntry) => reported.some((event) => event.text.includes(text));
  const known = statusEntries(config).filter((entry) => entry.kind === "node" || !isReported(entry));
  return [...known, ...reported].toSorted((left, right) => timeOf(right) - timeOf(left));
}

const entryOfEvent = oncePer(({ key, time, reason, note, type }: EventLine): TimelineEntry => {
  return { key, time, kind: "event", word: reason, text: note, isWarning: type === "Warning" };
});

/** Parses the times before sorting. Timestamps with and without microseconds do not sort correctly as text. */
const timeOf = oncePer(({ time }: TimelineEntry) => Date.parse(time));

function statusEntries({ status = {} }: VirtPlatformConfig): readonly TimelineEntry[] {
  const { conditions = [], items = [], rollout } = status;
  const entry = (kind: TimelineEntry["kind"], of: string, word: string, text: string, time: string): TimelineEntry => {
    return { key: `${kind} ${of} ${word}`, time, kind, word, text, isWarning: badWords.has(word) };
  };
  const reached = conditions.filter(
    ({ type, status: is }) => is === "True" && (phases as readonly string[]).includes(type),
  );
  return [
    ...reached.map(({ type, message, lastTransitionTime }) => entry("phase", "", type, message, lastTransitionTime)),
    ...items.flatMap(({ name, state, message, lastTransitionTime }) =>
      lastTransitionTime === undefined || state === "Pending"
        ? []
        : [entry("item", name, state, `${name}: ${message}`, lastTransitionTime)],
    ),
    ...(rollout?.nodes ?? []).map(({ name, phase, since }) => entry("node", name, phase, name, since)),
  ];
}
