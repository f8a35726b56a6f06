// Lists and watches over HTTP: streams, pages and probes. Limits the number of parallel probes.

import {
  type ItemTransform,
  isOlder,
  type ListPage,
  type ListPageRequest,
  notList,
  type ProbeResult,
  readFrame,
  readListPage,
  type StreamEnd,
  type WatchFrame,
} from "@virt/objects";
import {
  type ApiAnswer,
  type ApiReader,
  type FailedRequest,
  isPageTooLarge,
  mostPageBytes,
} from "../client/api-client.ts";
import {
  type ListSelection,
  listObjects,
  metadataOnly,
  type ObjectPlace,
  type Resource,
  watchObjects,
} from "../client/request.ts";
import type { Clock } from "../clock.ts";

/** The objects to watch, and which parts of them the server sends. */
export type WatchSubject = {
  readonly resource: Resource;
  readonly namespace?: string;
  readonly selection: Pick<ListSelection, "labelSelector" | "fieldSelector">;
  /** `metadata`: the server sends only the metadata. */
  readonly content: "full" | "metadata";
  /** Drops the field owners before parsing, because no reader needs them. */
  readonly owners?: "ignored";
};

export type WatchStart =
  | { readonly from: "version"; readonly version: string }
  /** Streams the whole list first, at least as new as `version` if it is set. */
  | { readonly from: "list"; readonly version?: string };

/** A new list must be at least as new as this version. */
export type LeastVersion = { readonly notOlderThan?: string };

/** The page was cancelled because of its size. */
export type PageTooLarge = { readonly how: "too large"; readonly why: string };

/** A page above this size counts as large, because parsing it blocks the process for too long. */
const largePageBytes = 2_000_000;

/** Lists and watches one subject over HTTP. The caller decides when, and handles retries. */
export class WatchSource<T> {
  readonly #subject: WatchSubject;
  readonly #transform: ItemTransform<T>;

  constructor(subject: WatchSubject, transform: ItemTransform<T>) {
    this.#subject = subject;
    this.#transform = transform;
  }

  /** Resolves when the stream has ended. The server ends it after `timeoutSeconds`. */
  async follow(
    client: ApiReader,
    beginning: WatchStart & { readonly timeoutSeconds: number; readonly signal: AbortSignal },
    onFrames: (frames: readonly WatchFrame<T>[]) => void,
  ): Promise<StreamEnd> {
    const { signal, timeoutSeconds, version } = beginning;
    const resourceVersion = version === undefined ? {} : { resourceVersion: version };
    const initial =
      beginning.from === "list" ? ({ sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" } as const) : {};
    const stream = await client.stream(this.#watch({ ...resourceVersion, ...initial, timeoutSeconds }), { signal });
    if (stream.kind !== "streaming") return endingOf(stream);
    const failure = await stream.follow((lines) => onFrames(lines.map((line) => this.#readLine(line))));
    return failure === undefined ? { how: "whole" } : { how: "broken", why: failure.message };
  }

  async page(
    client: ApiReader,
    { notOlderThan, ...asked }: ListPageRequest & LeastVersion,
    signal: AbortSignal,
  ): Promise<ListPage<T> | PageTooLarge | StreamEnd> {
    const { resource, selection, content } = this.#subject;
    const least =
      notOlderThan === undefined
        ? {}
        : ({ resourceVersion: notOlderThan, resourceVersionMatch: "NotOlderThan" } as const);
    const accept = content === "metadata" ? { accept: metadataOnly.list } : {};
    const request = listObjects(resource, this.#place, { ...selection, ...least, ...asked, ...accept });
    const answer = await client.send(request, { signal, mostBytes: mostPageBytes });
    if (answer.kind === "failed" && isPageTooLarge(answer)) return { how: "too large", why: answer.failure.message };
    if (answer.kind === "failed" || answer.status !== 200) return endingOf(answer);
    const page = readListPage(answer.body, this.#transform);
    return page === undefined ? { how: "broken", why: notList } : { ...page, isLarge: answer.bytes > largePageBytes };
  }

  /** Opens the same watch from the same version on another connection for one second, to detect missed changes. */
  async probe(client: ApiReader, from: string, signal: AbortSignal): Promise<ProbeResult> {
    const stream = await client.stream(this.#watch({ resourceVersion: from, timeoutSeconds: 1 }), { signal });
    if (stream.kind === "answered") return stream.status === 410 ? "expired" : "no answer";
    if (stream.kind === "failed") return "no answer";
    let saw: ProbeResult = "nothing";
    const failure = await stream.follow((lines) => {
      for (const line of lines) saw = overtakes(line, from) ?? saw;
    });
    return failure !== undefined && saw === "nothing" ? "no answer" : saw;
  }

  #readLine(line: Buffer): WatchFrame<T> {
    const text = line.toString("utf8");
    return readFrame(this.#subject.owners === "ignored" ? withoutOwners(text, ["object"]) : text, this.#transform);
  }

  #watch(following: ListSelection & { readonly timeoutSeconds: number; readonly sendInitialEvents?: boolean }) {
    const { resource, selection, content } = this.#subject;
    const accept = content === "metadata" ? { accept: metadataOnly.object } : {};
    return watchObjects(resource, this.#place, { ...selection, ...following, ...accept });
  }

  get #place(): ObjectPlace {
    const { namespace } = this.#subject;
    return namespace === undefined ? {} : { namespace };
  }
}

function overtakes(line: Buffer, from: string): ProbeResult | undefined {
  const frame = readFrame(withoutOwners(line.toString("utf8"), ["object"]), () => undefined);
  if (frame.type === "error") return frame.code === 410 ? "expired" : undefined;
  const isNewer = (frame.type === "put" || frame.type === "drop") && isOlder(from, frame.version);
  return isNewer ? "newer" : undefined;
}

type StatusBody = {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string }[] };
};

function endingOf(answer: ApiAnswer | FailedRequest): StreamEnd {
  if (answer.kind === "failed") {
    const { reason, message } = answer.failure;
    return { how: "broken", why: message, isUnauthorized: reason === "unauthorized" };
  }
  const { status, body, text, retryInMs } = answer;
  const apiStatus = body as StatusBody | undefined;
  const isLagging = apiStatus?.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") === true;
  const statusMessage = apiStatus?.message;
  const why = statusMessage ?? text.trim().slice(0, 200);
  return {
    how: "refused",
    code: status,
    why,
    isLagging,
    ...(statusMessage !== undefined && { statusMessage }),
    ...(retryInMs !== undefined && { retryInMs }),
  };
}

const atOnce = 4;
const patienceMs = 10_000;

export class ProbeLimit {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(signal: AbortSignal, probe: (signal: AbortSignal) => Promise<ProbeResult>): Promise<ProbeResult> {
    if (this.#running >= atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    const late = new AbortController();
    const cancel = this.#clock.schedule(patienceMs, () => late.abort());
    try {
      return await probe(AbortSignal.any([signal, late.signal]));
    } finally {
      cancel();
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}

const [quote, comma, openMap, closeMap, openList, closeList, backslash] = [0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d, 0x5c];

/**
 * Replaces the managedFields in JSON text with an empty list, because parsing them is most of the work. `path` leads to the object, such as `["object"]` in a line of a watch. Changes
 * only text without spaces, as API servers write it. The text need not be valid JSON.
 */
export function withoutOwners(text: string, path: readonly string[]): string {
  const start = [...path, "metadata", "managedFields"].reduce((at, name) => memberAt(text, at, name), 0);
  const end = start >= 0 && text.charCodeAt(start) === openList ? endOfValue(text, start) : -1;
  return end < 0 ? text : `${text.slice(0, start)}[]${text.slice(end)}`;
}

/** Returns the start of the member's value in the map at `start`, or -1. */
function memberAt(text: string, start: number, name: string): number {
  if (text.charCodeAt(start) !== openMap) return -1;
  let key = start + 1;
  while (text.charCodeAt(key) === quote) {
    const end = endOfString(text, key);
    if (end === key + name.length + 2 && text.startsWith(name, key + 1)) return end + 1;
    const next = end < 0 ? -1 : endOfValue(text, end + 1);
    if (text.charCodeAt(next) !== comma) return -1;
    key = next + 1;
  }
  return -1;
}

/** Returns the index of the comma or bracket after a value, or -1. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) {
      const end = endOfString(text, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (sign === openMap || sign === openList) depth++;
    else if (sign === comma && depth === 0) return at;
    else if ((sign === closeMap || sign === closeList) && depth-- === 0) return at;
  }
  return -1;
}

/** Returns the index after the closing quote, or -1. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? -1 : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}
