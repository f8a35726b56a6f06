import type { StreamLine } from "@virt/views";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { watchKind } from "./watch-kind.ts";

/** A fake WebSocket. The test acts as the server. */
class ScriptedSocket extends EventTarget {
  static readonly opened: ScriptedSocket[] = [];
  readonly url: URL;

  constructor(url: URL) {
    super();
    this.url = url;
    ScriptedSocket.opened.push(this);
  }

  receive(event: object): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(event) }));
  }

  close(): void {
    this.dispatchEvent(new Event("close"));
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  ScriptedSocket.opened.length = 0;
});

const node = (name: string, version: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, resourceVersion: version },
});
const listOf = (version: string, names: readonly string[]) => ({
  apiVersion: "v1",
  kind: "NodeList",
  metadata: { resourceVersion: version },
  items: names.map((name) => node(name, version)),
});

/** Answers each list request with the next of `answers`. Throws errors, as the console's fetch does. */
function watchNodes(answers: readonly object[]) {
  vi.stubGlobal("WebSocket", ScriptedSocket);
  vi.stubGlobal("location", { protocol: "https:", host: "console.example.org" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const left = [...answers];
  const lines: StreamLine[] = [];
  const urls: string[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const fetch = (url: string) => {
    urls.push(url);
    const answer = left.shift() ?? {};
    return "code" in answer ? Promise.reject(answer) : Promise.resolve(Response.json(answer));
  };
  const { signal } = stop;
  const ended = watchKind("nodes", { apiPath: "/api/kubernetes", fetch, signal, onLine: (line) => lines.push(line) });
  const types = () => lines.map(({ type }) => type);
  return { lines, urls, types, stop, ended };
}

/** Returns the newest socket once there are this many. */
async function socket(count: number): Promise<ScriptedSocket> {
  await vi.waitFor(() => expect(ScriptedSocket.opened.length).toBe(count));
  return ScriptedSocket.opened[count - 1] as ScriptedSocket;
}

test("lists by fetch, then watches by WebSocket from the listed version", async () => {
  const { types, urls, stop, ended } = watchNodes([listOf("7", ["a"])]);
  const watch = await socket(1);
  expect(urls).toEqual(["/api/kubernetes/api/v1/nodes?limit=500"]);
  expect(watch.url.href).toBe(
    "wss://console.example.org/api/kubernetes/api/v1/nodes?watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=290",
  );
  watch.receive({ type: "MODIFIED", object: node("a", "8") });
  watch.receive({ type: "DELETED", object: node("a", "9") });
  expect(types()).toEqual(["list", "changed", "removed"]);
  stop.abort();
  await ended;
  expect(types().length).toBe(3);
});

test("resumes a WebSocket that the server ended from its last bookmark", async () => {
  const { urls } = watchNodes([listOf("7", [])]);
  const first = await socket(1);
  first.dispatchEvent(new Event("open"));
  first.receive({ type: "BOOKMARK", object: { kind: "Node", metadata: { resourceVersion: "12" } } });
  await vi.advanceTimersByTimeAsync(60_000);
  first.close();
  expect((await socket(2)).url.searchParams.get("resourceVersion")).toBe("12");
  expect(urls.length).toBe(1);
});

test("lists again after a refused WebSocket, and shows the reason", async () => {
  const { types, lines, urls } = watchNodes([listOf("7", []), { code: 500, json: { message: "etcd is down" } }]);
  const refused = await socket(1);
  refused.close();
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.waitFor(() => expect(types()).toEqual(["list", "unavailable"]));
  expect([urls.length, lines.at(-1)]).toMatchObject([2, { message: "etcd is down" }]);
});

test("closes a WebSocket with an expired version and lists immediately", async () => {
  const { types } = watchNodes([listOf("7", ["a"]), listOf("9", ["b"])]);
  const first = await socket(1);
  first.receive({ type: "ERROR", object: { code: 410, message: "too old resource version" } });
  expect((await socket(2)).url.searchParams.get("resourceVersion")).toBe("9");
  expect(types()).toEqual(["list", "list"]);
});

test("probes a silent WebSocket, and lists again without an answer", async () => {
  const { types, lines } = watchNodes([listOf("7", ["a"]), listOf("9", ["b"])]);
  const silent = await socket(1);
  silent.dispatchEvent(new Event("open"));
  await vi.advanceTimersByTimeAsync(80_000);
  const probe = await socket(2);
  expect(probe.url.search).toBe(silent.url.search.replace("=290", "=2"));
  await vi.advanceTimersByTimeAsync(12_000);
  expect((await socket(3)).url.searchParams.get("resourceVersion")).toBe("9");
  expect(types()).toEqual(["list", "unavailable", "list"]);
  expect(lines[1]).toMatchObject({ message: "the watch stopped delivering changes" });
});
