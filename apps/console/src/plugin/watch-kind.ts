// One list and watch in the browser, through the console's proxy of the API server: lists by fetch, watches by WebSocket, as the
// console itself does it. A watch by fetch would hold one of the six connections that a browser has for all tabs together.

import type { JsonMap, KubeObject } from "@virt/api";
import { projectForPage, type StreamLine, type WatchedKind, type WatchedName, watchedKinds } from "@virt/client";
import { readFailure } from "./read-failure.ts";

export type WatchKindOptions = {
  /** Where the console's proxy serves the API server, such as `/api/kubernetes`. */
  readonly apiPath: string;
  readonly fetch: (url: string) => Promise<Response>;
  readonly signal: AbortSignal;
  readonly onLine: (line: StreamLine) => void;
};

type KindPlace = WatchedKind["resources"][number];
/** One kind as one version of it, in one namespace or in all. */
type Subject = { readonly name: WatchedName; readonly resource: KindPlace; readonly namespace?: string };
/** How a list and its watch ended: `again` at once; else after a pause. */
type WatchEnd = "again" | "wait" | "absent" | "forbidden";

const pauseMs: Readonly<Record<Exclude<WatchEnd, "again">, number>> = {
  wait: 1_000,
  absent: 10_000,
  forbidden: 30_000,
};
const pageSize = 500;
const watchSeconds = 290;

/** Settles when the signal ends it. */
export async function watchKind(name: WatchedName, options: WatchKindOptions): Promise<void> {
  const kind: WatchedKind = watchedKinds[name];
  while (!options.signal.aborted) {
    const end = await watchFirst(name, kind, options);
    if (end !== "again") await pause(pauseMs[end], options.signal);
  }
}

/** Versions and namespaces one after another, until one is served and allowed. */
async function watchFirst(name: WatchedName, kind: WatchedKind, options: WatchKindOptions): Promise<WatchEnd> {
  for (const resource of kind.resources) {
    const end = await watchSubject({ name, resource }, options);
    if (end === "absent") continue;
    if (end !== "forbidden") return end;
    const narrow = await watchNamespaces({ name, resource }, kind.fallbackNamespaces ?? [], options);
    if (narrow !== "forbidden") return narrow;
    options.onLine({ of: name, type: "forbidden", resource: kindName(resource) });
    return "forbidden";
  }
  options.onLine({ of: name, type: "absent", resource: kindName(kind.resources[0]) });
  return "absent";
}

/**
 * Watches the first namespace with objects. If none has any, it watches the only one that may be read; of several, all are listed again
 * after a pause, because the objects may appear in any.
 */
async function watchNamespaces(
  subject: Subject,
  namespaces: readonly string[],
  options: WatchKindOptions,
): Promise<WatchEnd> {
  const empty: WatchStart[] = [];
  for (const namespace of namespaces) {
    const start = { subject: { ...subject, namespace }, listed: await listAll({ ...subject, namespace }, options) };
    if ("end" in start.listed && start.listed.end === "forbidden") continue;
    if ("end" in start.listed || start.listed.objects.length > 0) return watchList(start, options);
    empty.push(start);
  }
  const [only, another] = empty;
  if (only === undefined) return "forbidden";
  if (another === undefined) return watchList(only, options);
  options.onLine({ of: subject.name, type: "list", objects: [] });
  return "absent";
}

function kindName(resource: KindPlace | undefined): string {
  if (resource === undefined) return "";
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

async function watchSubject(subject: Subject, options: WatchKindOptions): Promise<WatchEnd> {
  return watchList({ subject, listed: await listAll(subject, options) }, options);
}

async function watchList({ subject, listed }: WatchStart, options: WatchKindOptions): Promise<WatchEnd> {
  if ("end" in listed) return listed.end;
  options.onLine({ of: subject.name, type: "list", objects: listed.objects });
  let { version } = listed;
  while (!options.signal.aborted) {
    const end = await openWatch(subject, version, options, (seen) => {
      version = seen;
    });
    // The next list says why, where a WebSocket only says that it is closed.
    if (end !== "whole") return "wait";
  }
  return "wait";
}

type WatchStart = { readonly subject: Subject; readonly listed: ListResult };

type ListResult = { readonly objects: readonly KubeObject[]; readonly version: string } | { readonly end: WatchEnd };

type ListAnswer = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly JsonMap[];
};

async function listAll(subject: Subject, options: WatchKindOptions): Promise<ListResult> {
  const objects: KubeObject[] = [];
  let more = "";
  try {
    for (;;) {
      const query = { limit: `${pageSize}`, ...(more !== "" && { continue: more }) };
      const response = await options.fetch(addressOf(subject, options, query));
      const list = (await response.json()) as ListAnswer;
      const { apiVersion = "", kind = "" } = list;
      for (const item of list.items ?? [])
        objects.push(
          projectForPage(subject.name, { apiVersion, kind: kind.replace(/List$/, ""), ...item } as KubeObject),
        );
      more = list.metadata?.continue ?? "";
      if (more === "") return { objects, version: list.metadata?.resourceVersion ?? "" };
    }
  } catch (error) {
    return { end: endOf(subject.name, readFailure(error), options) };
  }
}

function endOf(
  of: WatchedName,
  { status, message }: ReturnType<typeof readFailure>,
  options: WatchKindOptions,
): WatchEnd {
  if (status === 404) return "absent";
  if (status === 403) return "forbidden";
  if (status === 410) return "again"; // the list took too long: its rest is gone
  if (options.signal.aborted) return "wait";
  options.onLine(status === 401 ? { of, type: "unauthorized" } : { of, type: "unavailable", message });
  return "wait";
}

type WatchEvent = { readonly type: string; readonly object: KubeObject };

/** `whole`: the server ended it in its own time, and the next one goes on from the last version seen. */
function openWatch(
  subject: Subject,
  version: string,
  options: WatchKindOptions,
  onVersion: (version: string) => void,
): Promise<"whole" | "broken"> {
  const query = {
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion: version,
    timeoutSeconds: `${watchSeconds}`,
  };
  const openedAt = performance.now();
  const socket = new WebSocket(new URL(addressOf(subject, options, query), socketOrigin()));
  return new Promise((resolve) => {
    let isWhole = false;
    const stop = () => socket.close();
    options.signal.addEventListener("abort", stop, { once: true });
    socket.addEventListener("open", () => {
      isWhole = true;
    });
    socket.addEventListener("message", ({ data }) => {
      if (options.signal.aborted) return;
      const { type, object } = JSON.parse(String(data)) as WatchEvent;
      if (type === "ERROR") {
        isWhole = false;
        return;
      }
      const seen = object.metadata.resourceVersion;
      if (seen !== undefined) onVersion(seen);
      if (type === "BOOKMARK") return;
      const projected = projectForPage(subject.name, object);
      options.onLine({ of: subject.name, type: type === "DELETED" ? "removed" : "changed", object: projected });
    });
    socket.addEventListener("close", () => {
      options.signal.removeEventListener("abort", stop);
      resolve(isWhole && performance.now() - openedAt > pauseMs.wait ? "whole" : "broken");
    });
  });
}

function socketOrigin(): string {
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}`;
}

function addressOf({ name, resource, namespace }: Subject, { apiPath }: WatchKindOptions, query: object): string {
  const { selection }: WatchedKind = watchedKinds[name];
  const { group, version, plural } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${apiPath}${root}${place}/${plural}?${new URLSearchParams({ ...selection, ...query }).toString()}`;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
