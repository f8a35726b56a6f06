// Lists and watches a kind for a page, with the user's permissions.

import type { KubeObject } from "@virt/api";
import { type ApiReader, systemClock, WatchSource } from "@virt/kube";
import type { StreamEnd } from "@virt/objects";
import {
  type FollowedSubject,
  followWatchedKind,
  type KindTransport,
  projectForPage,
  type StreamLine,
  type WatchedKind,
  type WatchedName,
  watchedKinds,
} from "@virt/views";

export type FollowOptions = {
  readonly sender: ApiReader;
  readonly signal: AbortSignal;
  readonly send: (line: StreamLine) => void;
};

/** Resolves after the signal is aborted. */
export function followKind(name: WatchedName, { sender, signal, send }: FollowOptions): Promise<void> {
  const transport: KindTransport = {
    page: async (subject, page) => {
      const answer = await sourceOf(subject).page(sender, page, signal);
      return "items" in answer || answer.how === "too large" ? answer : withText(answer);
    },
    watch: (subject, { from: version, timeoutSeconds }, onFrame) => {
      const closed = new AbortController();
      const ends = AbortSignal.any([signal, closed.signal]);
      const beginning = { from: "version", version, timeoutSeconds, signal: ends } as const;
      const ended = sourceOf(subject)
        .follow(sender, beginning, (frames) => frames.forEach(onFrame))
        .then(withText);
      return { ended, close: () => closed.abort() };
    },
    clock: systemClock,
    signal,
  };
  return followWatchedKind(name, { transport, send });
}

function sourceOf({ name, resource, namespace }: FollowedSubject): WatchSource<KubeObject> {
  const { selection }: WatchedKind = watchedKinds[name];
  const place = namespace === undefined ? {} : { namespace };
  const subject = { resource, selection: { ...selection }, ...place, content: "full", owners: "ignored" } as const;
  return new WatchSource(subject, (object) => projectForPage(name, object));
}

/** Drops a body that is not JSON, because it does not come from the API server. */
function withText(ending: StreamEnd): StreamEnd {
  if (ending.how !== "refused") return ending;
  const { code, statusMessage } = ending;
  return {
    ...ending,
    why: `the API server returned ${code}${statusMessage === undefined ? "" : `: ${statusMessage}`}`,
  };
}
