// One list and watch for a page: what there is, then each change, and why there is nothing if there is nothing.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import { projectForPage, type StreamLine, type WatchedKind, type WatchedName, watchedKinds } from "@virt/client";
import { asText, at } from "@virt/engine";
import {
  type ApiAnswer,
  type FailedRequest,
  listObjects,
  type Resource,
  type Sender,
  sendPage,
  sleep,
  systemClock,
  watchObjects,
} from "@virt/kube";

export type FollowOptions = {
  readonly sender: Sender;
  readonly signal: AbortSignal;
  readonly send: (line: StreamLine) => void;
};

/** One kind as one version of it, in one namespace or in all. */
type Subject = { readonly name: WatchedName; readonly resource: Resource; readonly namespace?: string };

/** How a list or a watch ended: `again` at once, because the server wants a new list; else after a pause. */
type FollowEnd = "again" | "wait" | "absent" | "forbidden";

const pauseMs = { absent: 10_000, forbidden: 30_000 } as const;
/** The pause after a failure doubles until a list succeeds. */
const failurePauseMs = { first: 1_000, most: 30_000 };
const pageSize = 500;
const watchSeconds = 290;

/** Settles when the signal ends it. */
export async function followKind(name: WatchedName, options: FollowOptions): Promise<void> {
  const kind: WatchedKind = watchedKinds[name];
  let failures = 0;
  const send: FollowOptions["send"] = (line) => {
    if (line.type === "list") failures = 0;
    options.send(line);
  };
  while (!options.signal.aborted) {
    const end = await followFirst(name, kind, { ...options, send });
    if (end === "again" || options.signal.aborted) continue;
    const ms = end === "wait" ? pauseAfter(failures++) : pauseMs[end];
    await sleep(systemClock, ms, options.signal);
  }
}

/** Returns the pause after so many failures in a row. */
export function pauseAfter(failures: number): number {
  return Math.min(failurePauseMs.most, failurePauseMs.first * 2 ** failures);
}

/** Versions and namespaces one after another, until one is served and allowed. */
async function followFirst(name: WatchedName, kind: WatchedKind, options: FollowOptions): Promise<FollowEnd> {
  let end: FollowEnd = "absent";
  for (const resource of kind.resources) {
    end = await followSubject({ name, resource }, options);
    if (end === "absent") continue;
    if (end !== "forbidden") return end;
    const narrow = await followNamespaces({ name, resource }, kind.fallbackNamespaces ?? [], options);
    if (narrow !== "forbidden") return narrow;
    options.send({ of: name, type: "forbidden", resource: kindName(resource) });
    return "forbidden";
  }
  options.send({ of: name, type: "absent", resource: kindName(kind.resources[0]) });
  return end;
}

/**
 * Follows the first namespace with objects. If none has any, it follows the only one that may be read; of several, all are listed again
 * after a pause, because the objects may appear in any.
 */
async function followNamespaces(
  subject: Subject,
  namespaces: readonly string[],
  options: FollowOptions,
): Promise<FollowEnd> {
  const empty: FollowStart[] = [];
  for (const namespace of namespaces) {
    const start = { subject: { ...subject, namespace }, listed: await listAll({ ...subject, namespace }, options) };
    if ("end" in start.listed && start.listed.end === "forbidden") continue;
    if ("end" in start.listed || start.listed.objects.length > 0) return followList(start, options);
    empty.push(start);
  }
  const [only, another] = empty;
  if (only === undefined) return "forbidden";
  if (another === undefined) return followList(only, options);
  options.send({ of: subject.name, type: "list", objects: [] });
  return "absent";
}

function kindName(resource: Resource | undefined): string {
  if (resource === undefined) return "";
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

async function followSubject(subject: Subject, options: FollowOptions): Promise<FollowEnd> {
  return followList({ subject, listed: await listAll(subject, options) }, options);
}

async function followList({ subject, listed }: FollowStart, options: FollowOptions): Promise<FollowEnd> {
  const { signal, send } = options;
  if ("end" in listed) return listed.end;
  send({ of: subject.name, type: "list", objects: listed.objects });
  let version = listed.version;
  while (!signal.aborted) {
    const end = await watchFrom(subject, version, options, (seen) => {
      version = seen;
    });
    if (end !== "whole") return end;
  }
  return "wait";
}

type FollowStart = { readonly subject: Subject; readonly listed: ListResult };

type ListResult = { readonly objects: readonly KubeObject[]; readonly version: string } | { readonly end: FollowEnd };

async function listAll({ name, resource, namespace }: Subject, options: FollowOptions): Promise<ListResult> {
  const { selection }: WatchedKind = watchedKinds[name];
  const place = namespace === undefined ? {} : { namespace };
  const objects: KubeObject[] = [];
  let more: string | undefined;
  const size = { current: pageSize };
  for (;;) {
    const page = { ...selection, ...(more !== undefined && { continue: more }) };
    const answer = await sendPage((limit) => listObjects(resource, place, { ...page, limit }), size, options);
    if (answer.kind === "failed" || answer.status !== 200) return { end: endOf(name, answer, options) };
    const list = answer.body as unknown as ListAnswer;
    const { apiVersion = "", kind = "" } = list;
    for (const item of list.items ?? [])
      objects.push(projectForPage(name, { apiVersion, kind: kind.replace(/List$/, ""), ...item } as KubeObject));
    more = list.metadata?.continue;
    if (more === undefined || more === "") return { objects, version: list.metadata?.resourceVersion ?? "" };
  }
}

type ListAnswer = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly JsonMap[];
};

async function watchFrom(
  { name, resource, namespace }: Subject,
  version: string,
  options: FollowOptions,
  onVersion: (version: string) => void,
): Promise<FollowEnd | "whole"> {
  const { selection }: WatchedKind = watchedKinds[name];
  const place = namespace === undefined ? {} : { namespace };
  const asked = watchObjects(resource, place, { ...selection, resourceVersion: version, timeoutSeconds: watchSeconds });
  const stream = await options.sender.stream(asked, { signal: options.signal });
  if (stream.kind !== "streaming") return isExpired(stream) ? "again" : endOf(name, stream, options);
  let isGone = false;
  const failure = await stream.follow((lines) => {
    for (const line of lines) {
      const frame = JSON.parse(line.toString("utf8")) as WatchEvent;
      if (frame.type === "ERROR") isGone = true;
      else sendEvent(name, frame, options, onVersion);
    }
  });
  if (isGone) return "again";
  if (failure === undefined) return "whole";
  if (!options.signal.aborted) options.send({ of: name, type: "unavailable", message: failure.message });
  return "wait";
}

type WatchEvent = { readonly type: string; readonly object: KubeObject };

function sendEvent(
  name: WatchedName,
  { type, object }: WatchEvent,
  { send }: FollowOptions,
  onVersion: (version: string) => void,
): void {
  const version = asText(at(object, "metadata", "resourceVersion"));
  if (version !== undefined) onVersion(version);
  if (type === "BOOKMARK") return;
  send({ of: name, type: type === "DELETED" ? "removed" : "changed", object: projectForPage(name, object) });
}

function isExpired(answer: ApiAnswer | FailedRequest): boolean {
  return answer.kind === "answered" && answer.status === 410;
}

function endOf(name: WatchedName, answer: ApiAnswer | FailedRequest, { send, signal }: FollowOptions): FollowEnd {
  if (answer.kind === "answered" && answer.status === 404) return "absent";
  if (answer.kind === "answered" && answer.status === 403) return "forbidden";
  if (signal.aborted) return "wait";
  if (isUnauthorized(answer)) send({ of: name, type: "unauthorized" });
  else send({ of: name, type: "unavailable", message: describe(answer) });
  return "wait";
}

/** Credentials that were refused once are not sent again for a while. */
function isUnauthorized(answer: ApiAnswer | FailedRequest): boolean {
  return answer.kind === "failed" ? answer.failure.reason === "unauthorized" : answer.status === 401;
}

function describe(answer: ApiAnswer | FailedRequest): string {
  if (answer.kind === "failed") return answer.failure.message;
  const said: Json | undefined = at(answer.body, "message");
  return `the API server returned ${answer.status}${typeof said === "string" ? `: ${said}` : ""}`;
}
