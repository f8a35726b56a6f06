// Cluster data from the standalone server: one stream for all watched kinds, and single requests.

import type { KubeObject } from "@virt/api";
import { Silence, type StreamLine, type WatchedName } from "@virt/views";
import { browserClock } from "./browser-clock.ts";
import {
  type ClusterAnswer,
  type ClusterData,
  type ClusterIdentity,
  createClusterData,
  type EnablementAnswer,
  type EnablementPreview,
  type RequestContent,
  type SignedOut,
} from "./cluster-data.ts";
import { readLines } from "./read-lines.ts";
import { reportActivity } from "./report-activity.ts";
import type { SessionKey } from "./session-key.ts";
import { SnapshotStore } from "./snapshot-store.ts";
import { standaloneAdoption } from "./standalone-adoption.ts";

/** The page treats a stream that is silent this long as broken. The server sends a line at least every 5 seconds. */
const silenceMs = 12_000;
const checkMs = 1_000;
const retryMs = 1_000;

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

export function createStandaloneData(key: SessionKey): ClusterData {
  const store = new SnapshotStore();
  const send: Fetch = (path, init = {}) =>
    fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), "x-virt-console-key": key.value } });
  let stop = new AbortController();
  reportActivity(window, Date.now, () => {
    send("/session/activity", { method: "POST" }).catch(() => undefined); // the stream reports a lost server
  });
  const watch = (names: readonly WatchedName[]) => {
    stop.abort();
    stop = new AbortController();
    if (names.length > 0) void followStream(names, { store, key, send, signal: stop.signal });
  };
  return {
    ...createClusterData({ store, watch, send: (...request) => askCluster(send, ...request) }),
    previewEnablement: () => askEnablement(send),
    adoption: standaloneAdoption(send),
    readIdentity: async () => {
      const response = await send("/session/identity").catch(() => undefined);
      return response?.ok === true ? ((await response.json()) as ClusterIdentity) : undefined;
    },
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

async function askCluster(send: Fetch, method: string, path: string, sent?: RequestContent): Promise<ClusterAnswer> {
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

type StreamParts = {
  readonly store: SnapshotStore;
  readonly key: SessionKey;
  readonly send: Fetch;
  readonly signal: AbortSignal;
};

async function followStream(names: readonly WatchedName[], parts: StreamParts): Promise<void> {
  const { store, key, signal } = parts;
  const query = names.map((name) => `of=${name}`).join("&");
  for (;;) {
    const signedOut = await readStream(`/stream?${query}`, parts);
    if (signal.aborted) return;
    store.disconnect(signedOut);
    if (signedOut !== undefined) await key.replace();
    await new Promise((resolve) => setTimeout(resolve, retryMs));
    if (signal.aborted) return;
  }
}

/** Resolves when the stream ends or falls silent. Returns the reason if the session has ended. */
async function readStream(path: string, { store, send, signal }: StreamParts): Promise<SignedOut | undefined> {
  const silence = new Silence(browserClock);
  const dead = new AbortController();
  const checks = setInterval(() => {
    if (silence.ms > silenceMs) dead.abort();
  }, checkMs);
  try {
    const response = await send(path, { signal: AbortSignal.any([signal, dead.signal]) });
    if (response.status === 401) return readSignedOut(response);
    if (!response.ok || response.body === null) return undefined;
    for await (const line of readLines(response.body)) {
      if (signal.aborted) break;
      silence.restart();
      store.addLine(JSON.parse(line) as StreamLine);
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    clearInterval(checks);
  }
}

function readSignedOut({ headers }: Response): SignedOut {
  const why = headers.get("x-virt-console-session");
  return why === "idle" || why === "expired" ? why : "unknown";
}
