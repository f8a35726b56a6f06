// Cluster data from the standalone server: one stream for all watched kinds, and single requests.

import type { KubeObject } from "@virt/api";
import type { StreamLine, WatchedName } from "@virt/views";
import {
  accessReviewOf,
  accessReviewPath,
  type ClusterAnswer,
  type ClusterData,
  type ClusterIdentity,
  type EnablementAnswer,
  type EnablementPreview,
  readAccessAnswer,
  readUserAnswer,
  type SignedOut,
  userReview,
  userReviewPath,
} from "./cluster-data.ts";
import { readLines } from "./read-lines.ts";
import { reportActivity } from "./report-activity.ts";
import type { SessionKey } from "./session-key.ts";
import { SnapshotStore } from "./snapshot-store.ts";

/** The server sends a line at least every 5 s. */
const silenceMs = 12_000;
const retryMs = 1_000;

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

export function createStandaloneData(key: SessionKey): ClusterData {
  const store = new SnapshotStore();
  const send: Fetch = (path, init = {}) =>
    fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), "x-virt-console-key": key.value } });
  const stream = new StandaloneStream(store, key, send);
  const ask = (method: string, path: string, sent?: SentBody) => askCluster(send, method, path, sent);
  reportActivity(window, Date.now, () => {
    send("/session/activity", { method: "POST" }).catch(() => undefined); // the stream reports a lost server
  });
  return {
    subscribe: (listener) => store.subscribe(listener),
    snapshot: () => store.snapshot,
    want: (names) => stream.want(names),
    previewEnablement: () => askEnablement(send),
    readIdentity: async () => {
      const response = await send("/session/identity").catch(() => undefined);
      return response?.ok === true ? ((await response.json()) as ClusterIdentity) : undefined;
    },
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

async function askEnablement(send: Fetch): Promise<EnablementAnswer> {
  try {
    const response = await send("/preview/enablement");
    if (!response.ok) return { kind: "failed", message: (await response.text()).trim() };
    return { kind: "previewed", preview: (await response.json()) as EnablementPreview };
  } catch (error) {
    return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

type SentBody = { readonly type: string; readonly body: unknown };

async function askCluster(send: Fetch, method: string, path: string, sent?: SentBody): Promise<ClusterAnswer> {
  try {
    const response = await send(`/cluster${path}`, {
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
  readonly #key: SessionKey;
  readonly #send: Fetch;
  readonly #wanted: (readonly WatchedName[])[] = [];
  #streamed = "";
  #current: AbortController | undefined;

  constructor(store: SnapshotStore, key: SessionKey, send: Fetch) {
    this.#store = store;
    this.#key = key;
    this.#send = send;
  }

  want(names: readonly WatchedName[]): () => void {
    this.#wanted.push(names);
    this.#follow();
    return () => {
      this.#wanted.splice(this.#wanted.indexOf(names), 1);
      this.#follow();
    };
  }

  /** Collects the changes of one turn, so that a page change starts one stream. */
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
      const signedOut = await this.#stream(`/stream?${query}`, stopped.signal);
      if (stopped.signal.aborted) return;
      this.#store.change({ isConnected: false, signedOut });
      if (signedOut !== undefined) await this.#key.replace();
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  /** Resolves when the stream ends, with the reason if the session has ended. */
  async #stream(path: string, signal: AbortSignal): Promise<SignedOut | undefined> {
    const silent = new AbortController();
    const tooLong = () => silent.abort();
    let timer = setTimeout(tooLong, silenceMs);
    try {
      const response = await this.#send(path, { signal: AbortSignal.any([signal, silent.signal]) });
      if (response.status === 401) return readSignedOut(response);
      if (!response.ok || response.body === null) return undefined;
      for await (const line of readLines(response.body)) {
        if (signal.aborted) break;
        clearTimeout(timer);
        timer = setTimeout(tooLong, silenceMs);
        this.#store.addLine(JSON.parse(line) as StreamLine);
      }
      return undefined;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}

function readSignedOut({ headers }: Response): SignedOut {
  const why = headers.get("x-virt-console-session");
  return why === "idle" || why === "expired" ? why : "unknown";
}
