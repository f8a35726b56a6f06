// The cluster as the standalone server gives it: one stream of lines for all watched kinds, and single requests, on the same origin.

import type { KubeObject } from "@virt/api";
import type { StreamLine, WatchedName } from "@virt/client";
import {
  accessReviewOf,
  accessReviewPath,
  type ClusterAnswer,
  type ClusterData,
  readAccessAnswer,
  readUserAnswer,
  userReview,
  userReviewPath,
} from "./cluster-data.ts";
import { readLines } from "./read-lines.ts";
import { SnapshotStore } from "./snapshot-store.ts";

/** The server says every 5 s that it is there. */
const silenceMs = 12_000;
const retryMs = 1_000;

export function createStandaloneData(): ClusterData {
  const store = new SnapshotStore();
  const stream = new StandaloneStream(store);
  return {
    subscribe: (listener) => store.subscribe(listener),
    snapshot: () => store.snapshot,
    want: (names) => stream.want(names),
    readObject: (path) => ask("GET", path),
    patchObject: (path, { type, body }, isDryRun = false) =>
      ask("PATCH", isDryRun ? `${path}?dryRun=All` : path, { type: `application/${type}-patch+json`, body }),
    ask: async (question) => {
      const review = { type: "application/json", body: accessReviewOf(question) };
      return readAccessAnswer(await ask("POST", accessReviewPath, review));
    },
    readUserName: async () =>
      readUserAnswer(await ask("POST", userReviewPath, { type: "application/json", body: userReview })),
  };
}

async function ask(
  method: string,
  path: string,
  sent?: { readonly type: string; readonly body: unknown },
): Promise<ClusterAnswer> {
  try {
    const response = await fetch(`/cluster${path}`, {
      method,
      ...(sent !== undefined && { headers: { "content-type": sent.type }, body: JSON.stringify(sent.body) }),
    });
    const text = await response.text();
    const isJson = (response.headers.get("content-type") ?? "").includes("json");
    const body = isJson ? (JSON.parse(text) as KubeObject & { readonly message?: string }) : undefined;
    if (response.ok && body !== undefined) return { kind: "done", object: body };
    return { kind: "refused", status: response.status, message: body?.message ?? text.trim() };
  } catch (error) {
    return { kind: "refused", status: 0, message: error instanceof Error ? error.message : String(error) };
  }
}

class StandaloneStream {
  readonly #store: SnapshotStore;
  readonly #wanted: (readonly WatchedName[])[] = [];
  #streamed = "";
  #current: AbortController | undefined;

  constructor(store: SnapshotStore) {
    this.#store = store;
  }

  want(names: readonly WatchedName[]): () => void {
    this.#wanted.push(names);
    this.#follow();
    return () => {
      this.#wanted.splice(this.#wanted.indexOf(names), 1);
      this.#follow();
    };
  }

  /** Pages change in one turn: the new set is taken once all of it is known. */
  #follow(): void {
    queueMicrotask(() => {
      const names = [...new Set(this.#wanted.flat())].toSorted();
      if (names.join() === this.#streamed) return;
      this.#streamed = names.join();
      this.#current?.abort();
      if (names.length > 0) void this.#run(names);
    });
  }

  async #run(names: readonly WatchedName[]): Promise<void> {
    const stopped = new AbortController();
    this.#current = stopped;
    this.#store.dropUnwatched(names);
    const query = names.map((name) => `of=${name}`).join("&");
    while (!stopped.signal.aborted) {
      const status = await this.#stream(`/stream?${query}`, stopped.signal);
      if (stopped.signal.aborted) return;
      this.#store.change({ isConnected: false, isSignedOut: status === 401 });
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  /** Settles when the stream has ended, with the status of the answer; 0: there was none. */
  async #stream(path: string, signal: AbortSignal): Promise<number> {
    const silent = new AbortController();
    const tooLong = () => silent.abort();
    let timer = setTimeout(tooLong, silenceMs);
    try {
      const response = await fetch(path, { signal: AbortSignal.any([signal, silent.signal]) });
      if (!response.ok || response.body === null) return response.status;
      for await (const line of readLines(response.body)) {
        if (signal.aborted) break;
        clearTimeout(timer);
        timer = setTimeout(tooLong, silenceMs);
        this.#store.addLine(JSON.parse(line) as StreamLine);
      }
      return response.status;
    } catch {
      return 0;
    } finally {
      clearTimeout(timer);
    }
  }
}
