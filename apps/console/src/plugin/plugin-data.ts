// Cluster data through the OpenShift console's API proxy, with the rights of the signed-in user.

import { consoleFetch } from "@openshift-console/dynamic-plugin-sdk";
import type { KubeObject } from "@virt/api";
import type { StreamLine, WatchedName } from "@virt/views";
import {
  accessReviewOf,
  accessReviewPath,
  type ClusterAnswer,
  type ClusterData,
  consoleManager,
  readAccessAnswer,
  readUserAnswer,
  userReview,
  userReviewPath,
} from "../pages/data/cluster-data.ts";
import { SnapshotStore } from "../pages/data/snapshot-store.ts";
import { readFailure } from "./read-failure.ts";
import { watchKind } from "./watch-kind.ts";

export function createPluginData(apiPath: string): ClusterData {
  const store = new SnapshotStore();
  const watches = new PluginWatches(apiPath, store);
  const ask = (method: string, path: string, sent?: RequestBody) => send(`${apiPath}${path}`, method, sent);
  return {
    subscribe: (listener) => store.subscribe(listener),
    snapshot: () => store.snapshot,
    want: (names) => watches.want(names),
    readObject: (path) => ask("GET", path),
    patchObject: (path, { type, body }, isDryRun = false) =>
      ask("PATCH", `${path}?fieldManager=${consoleManager}${isDryRun ? "&dryRun=All" : ""}`, {
        type: `application/${type}-patch+json`,
        body,
      }),
    ask: async (question) => {
      const review = { type: "application/json", body: accessReviewOf(question) };
      return readAccessAnswer(await ask("POST", accessReviewPath, review));
    },
    readUserName: async () =>
      readUserAnswer(await ask("POST", userReviewPath, { type: "application/json", body: userReview })),
  };
}

type RequestBody = { readonly type: string; readonly body: unknown };

async function send(url: string, method: string, sent?: RequestBody): Promise<ClusterAnswer> {
  try {
    const response = await consoleFetch(url, {
      method,
      ...(sent !== undefined && { headers: { "Content-Type": sent.type }, body: JSON.stringify(sent.body) }),
    });
    return { kind: "done", object: (await response.json()) as KubeObject };
  } catch (error) {
    return { kind: "refused", ...readFailure(error) };
  }
}

type KindWatch = { wantedBy: number; readonly stop: AbortController };

/** One watch per wanted kind. The console itself handles expired sessions. */
class PluginWatches {
  readonly #apiPath: string;
  readonly #store: SnapshotStore;
  readonly #running = new Map<WatchedName, KindWatch>();

  constructor(apiPath: string, store: SnapshotStore) {
    this.#apiPath = apiPath;
    this.#store = store;
  }

  want(names: readonly WatchedName[]): () => void {
    for (const name of names) this.#start(name);
    return () => {
      for (const name of names) this.#release(name);
    };
  }

  #start(name: WatchedName): void {
    const running = this.#running.get(name);
    if (running !== undefined) {
      running.wantedBy += 1;
      return;
    }
    const stop = new AbortController();
    this.#running.set(name, { wantedBy: 1, stop });
    const onLine = (line: StreamLine) => {
      if (!stop.signal.aborted) this.#store.addLine(line);
    };
    void watchKind(name, { apiPath: this.#apiPath, fetch: consoleFetch, signal: stop.signal, onLine });
  }

  /** Releases a kind after this turn, so that a page change keeps the watches that both pages need. */
  #release(name: WatchedName): void {
    const running = this.#running.get(name);
    if (running === undefined) return;
    running.wantedBy -= 1;
    setTimeout(() => {
      if (running.wantedBy > 0 || running.stop.signal.aborted) return;
      running.stop.abort();
      this.#running.delete(name);
      this.#store.dropUnwatched([...this.#running.keys()]);
    });
  }
}
