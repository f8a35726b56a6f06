// Lists with fetch and watches with a WebSocket, through the console's API proxy, as the console itself does. A watch
// with fetch would occupy one of the six connections per host that a browser shares among all tabs.

import type { KubeObject } from "@virt/api";
import { type ListPage, type ListPageRequest, notList, readFrame, readListPage, type StreamEnd } from "@virt/objects";
import {
  type FollowedSubject,
  followWatchedKind,
  type KindTransport,
  type OpenWatch,
  type PageFailure,
  projectForPage,
  type StreamLine,
  type WatchedKind,
  type WatchedName,
  watchedKinds,
} from "@virt/views";
import { browserClock } from "../pages/data/browser-clock.ts";
import { readFailure } from "./read-failure.ts";

export type WatchKindOptions = {
  /** The path at which the console's proxy serves the API server, such as `/api/kubernetes`. */
  readonly apiPath: string;
  readonly fetch: (url: string) => Promise<Response>;
  readonly signal: AbortSignal;
  readonly onLine: (line: StreamLine) => void;
};

/** The server has rejected a WebSocket that closes sooner than this. */
const leastWatchMs = 1_000;

/** Resolves after the signal is aborted. */
export function watchKind(name: WatchedName, options: WatchKindOptions): Promise<void> {
  const { signal, onLine } = options;
  const transport: KindTransport = {
    page: (subject, page) => fetchPage(subject, page, options),
    watch: (subject, start, onFrame) => openWatch(subject, start, onFrame, options),
    clock: browserClock,
    signal,
  };
  return followWatchedKind(name, { transport, send: onLine });
}

async function fetchPage(
  subject: FollowedSubject,
  page: ListPageRequest,
  options: WatchKindOptions,
): Promise<ListPage<KubeObject> | PageFailure> {
  const query = { limit: `${page.limit}`, ...(page.continue !== undefined && { continue: page.continue }) };
  try {
    const response = await options.fetch(addressOf(subject, options, query));
    const listed = readListPage(await response.json(), (object) => projectForPage(subject.name, object));
    return listed ?? { how: "broken", why: notList };
  } catch (error) {
    const { status: code, message: why } = readFailure(error);
    return code === 0 ? { how: "broken", why } : { how: "refused", code, why };
  }
}

/** A closed WebSocket gives no reason. The next list request reveals it. */
const broken: StreamEnd = { how: "broken", why: "" };

function openWatch(
  ...[subject, { from, timeoutSeconds }, onFrame, options]: [...Parameters<KindTransport["watch"]>, WatchKindOptions]
): OpenWatch {
  const { signal } = options;
  const query = {
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion: from,
    timeoutSeconds: `${timeoutSeconds}`,
  };
  const openedAt = performance.now();
  const socket = new WebSocket(new URL(addressOf(subject, options, query), socketOrigin()));
  let isOpen = false;
  let end: (ending: StreamEnd) => void = () => undefined;
  const ended = new Promise<StreamEnd>((resolve) => {
    end = resolve;
  });
  // Does not wait for the close event, because a browser takes up to a minute to report a dead connection.
  const close = () => {
    socket.close();
    end(broken);
  };
  signal.addEventListener("abort", close, { once: true });
  socket.addEventListener("message", ({ data }) => {
    if (signal.aborted) return;
    onFrame(readFrame(String(data), (object) => projectForPage(subject.name, object)));
  });
  socket.addEventListener("open", () => {
    isOpen = true;
  });
  socket.addEventListener("close", () => {
    signal.removeEventListener("abort", close);
    const isWhole = isOpen && performance.now() - openedAt > leastWatchMs;
    end(isWhole ? { how: "whole" } : broken);
  });
  return { ended, close };
}

function socketOrigin(): string {
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}`;
}

function addressOf(
  { name, resource, namespace }: FollowedSubject,
  { apiPath }: WatchKindOptions,
  query: object,
): string {
  const { selection }: WatchedKind = watchedKinds[name];
  const { group, version, plural } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${apiPath}${root}${place}/${plural}?${new URLSearchParams({ ...selection, ...query }).toString()}`;
}
