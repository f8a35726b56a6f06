// Asks the server for one subject: a stream, a page of a list, a probe. Answers become endings that the reflector knows.

import type { Answer, Failed, Sender } from "../wire/client.ts";
import { listObjects, metadataOnly, type Place, type Resource, type Selection, watchObjects } from "../wire/request.ts";
import { isOlder } from "../wire/resource-version.ts";
import type { Ending, Probed } from "./reflector-state.ts";
import { type Frame, type Item, type ListItem, readFrame, readItem, type Transform } from "./watch-frame.ts";

/** What is watched: as narrow as the catalog allows. */
export type Subject = {
  readonly resource: Resource;
  readonly namespace?: string;
  readonly selection: Pick<Selection, "labelSelector" | "fieldSelector">;
  /** Metadata alone is cut off on the server's side. */
  readonly content: "full" | "metadata";
  /** Nobody asks who owns which field, so that is not read. */
  readonly owners?: "ignored";
};

export type Beginning =
  | { readonly from: "version"; readonly version: string }
  /** The whole list first, as a stream; not older than `version`, where one is given. */
  | { readonly from: "list"; readonly version?: string };

export type Page<T> = { readonly items: readonly Item<T>[]; readonly version: string; readonly continue?: string };

export type PageRequest = { readonly limit: number; readonly continue?: string; readonly notOlderThan?: string };

/** Above this a page is too large: parsing it would block the process. */
const pageBytes = 2_000_000;

export class WatchSource<T> {
  readonly #subject: Subject;
  readonly #transform: Transform<T>;

  constructor(subject: Subject, transform: Transform<T>) {
    this.#subject = subject;
    this.#transform = transform;
  }

  /** Settles when the stream has ended. The server ends it by itself after `timeoutSeconds`. */
  async follow(
    sender: Sender,
    beginning: Beginning & { readonly timeoutSeconds: number; readonly signal: AbortSignal },
    onFrames: (frames: readonly Frame<T>[]) => void,
  ): Promise<Ending> {
    const { signal, timeoutSeconds, version } = beginning;
    const resourceVersion = version === undefined ? {} : { resourceVersion: version };
    const initial =
      beginning.from === "list" ? ({ sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" } as const) : {};
    const stream = await sender.stream(this.#watch({ ...resourceVersion, ...initial, timeoutSeconds }), { signal });
    if (stream.kind !== "streaming") return endingOf(stream);
    const { owners } = this.#subject;
    const failure = await stream.follow((lines) =>
      onFrames(lines.map((line) => readFrame(line, this.#transform, owners))),
    );
    return failure === undefined ? { how: "whole" } : { how: "broken", why: failure.message };
  }

  async page(
    sender: Sender,
    asked: PageRequest,
    signal: AbortSignal,
  ): Promise<(Page<T> & { readonly isLarge: boolean }) | Ending> {
    const { resource, selection, content } = this.#subject;
    const { limit, continue: more, notOlderThan } = asked;
    const least =
      notOlderThan === undefined
        ? {}
        : ({ resourceVersion: notOlderThan, resourceVersionMatch: "NotOlderThan" } as const);
    const from = more === undefined ? least : { continue: more };
    const accept = content === "metadata" ? { accept: metadataOnly.list } : {};
    const answer = await sender.send(listObjects(resource, this.#place, { ...selection, ...from, limit, ...accept }), {
      signal,
    });
    if (answer.kind === "failed" || answer.status !== 200) return endingOf(answer);
    const list = answer.body as unknown as ListBody;
    const items = (list.items ?? []).map((item) => readItem(item, list, this.#transform));
    const { resourceVersion: version, continue: next } = list.metadata;
    return { items, version, isLarge: answer.bytes > pageBytes, ...(next !== undefined && { continue: next }) };
  }

  /** The same watch from the same point, on another connection, for one second: was anything missed? */
  async probe(sender: Sender, from: string, signal: AbortSignal): Promise<Probed> {
    const stream = await sender.stream(this.#watch({ resourceVersion: from, timeoutSeconds: 1 }), { signal });
    if (stream.kind === "answered") return stream.status === 410 ? "expired" : "no answer";
    if (stream.kind === "failed") return "no answer";
    let saw: Probed = "nothing";
    const failure = await stream.follow((lines) => {
      for (const line of lines) saw = overtakes(line, from) ?? saw;
    });
    return failure !== undefined && saw === "nothing" ? "no answer" : saw;
  }

  #watch(following: Selection & { readonly timeoutSeconds: number; readonly sendInitialEvents?: boolean }) {
    const { resource, selection, content } = this.#subject;
    const accept = content === "metadata" ? { accept: metadataOnly.object } : {};
    return watchObjects(resource, this.#place, { ...selection, ...following, ...accept });
  }

  get #place(): Place {
    const { namespace } = this.#subject;
    return namespace === undefined ? {} : { namespace };
  }
}

type ListBody = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly ListItem[];
};

function overtakes(line: Buffer, from: string): Probed | undefined {
  const frame = readFrame(line, () => undefined, "ignored");
  if (frame.type === "error") return frame.code === 410 ? "expired" : undefined;
  const isNewer = (frame.type === "put" || frame.type === "drop") && isOlder(from, frame.version);
  return isNewer ? "newer" : undefined;
}

type Refusal = {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string }[] };
};

function endingOf(answer: Answer | Failed): Ending {
  if (answer.kind === "failed") return { how: "broken", why: answer.failure.message };
  const { status, body, text, retryInMs } = answer;
  const said = body as Refusal | undefined;
  const isLagging = said?.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") === true;
  const why = said?.message ?? text.trim().slice(0, 200);
  return { how: "refused", code: status, why, isLagging, ...(retryInMs !== undefined && { retryInMs }) };
}
