// Accesses the cluster through the OpenShift console's API proxy, with the signed-in user's permissions.

import { consoleFetch } from "@openshift-console/dynamic-plugin-sdk";
import type { KubeObject } from "@virt/api";
import type { StreamLine, WatchedName } from "@virt/views";
import {
  type ClusterAnswer,
  type ClusterData,
  consoleManager,
  createClusterData,
  type RequestContent,
} from "../pages/data/cluster-data.ts";
import { SnapshotStore } from "../pages/data/snapshot-store.ts";
import { readFailure } from "./read-failure.ts";
import { watchKind } from "./watch-kind.ts";

/** Creates the cluster access. The OpenShift console handles expired sessions, so this does not. */
export function createPluginData(apiPath: string): ClusterData {
  const store = new SnapshotStore();
  const running = new Map<WatchedName, AbortController>();
  const start = (name: WatchedName) => {
    const stop = new AbortController();
    running.set(name, stop);
    const onLine = (line: StreamLine) => {
      if (!stop.signal.aborted) store.addLine(line);
    };
    void watchKind(name, { apiPath, fetch: consoleFetch, signal: stop.signal, onLine });
  };
  return createClusterData({
    store,
    fieldManager: consoleManager,
    send: (method, path, content) => send(`${apiPath}${path}`, method, content),
    watch: (names) => {
      for (const [name, stop] of running) {
        if (names.includes(name)) continue;
        stop.abort();
        running.delete(name);
      }
      for (const name of names) if (!running.has(name)) start(name);
    },
  });
}

async function send(url: string, method: string, sent?: RequestContent): Promise<ClusterAnswer> {
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
