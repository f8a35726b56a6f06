// Tests in virtual time how the page detects that its server is gone.

import { afterEach, expect, test, vi } from "vitest";
import type { SessionKey } from "./session-key.ts";
import { createStandaloneData } from "./standalone-data.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Opens a page with a fake server, which accepts one stream and sends an empty list of nodes at time 0. */
async function openPage() {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal("window", new EventTarget());
  let server: ReadableStreamDefaultController<Uint8Array> | undefined;
  vi.stubGlobal("fetch", (_path: string, { signal }: RequestInit) => {
    if (server !== undefined) return Promise.reject(new Error("connection refused"));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        server = controller;
        signal?.addEventListener("abort", () => controller.error(signal.reason));
      },
    });
    return Promise.resolve(new Response(body));
  });
  const data = createStandaloneData({ value: "key" } as SessionKey);
  data.want(["nodes"]);
  await vi.advanceTimersByTimeAsync(0);
  const send = async (line: object) => {
    server?.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
    await vi.advanceTimersByTimeAsync(0);
  };
  await send({ of: "nodes", type: "list", objects: [] });
  await vi.advanceTimersByTimeAsync(100);
  return { data, send, close: () => server?.close() };
}

test("stays connected while the server sends a line every 5 seconds", async () => {
  const { data, send } = await openPage();
  for (let round = 0; round < 10; round++) {
    await vi.advanceTimersByTimeAsync(5_000);
    await send({ type: "alive" });
  }
  expect(data.snapshot()).toMatchObject({ isConnected: true, signedOut: undefined });
});

test("shows a lost connection if the server is silent for 12 seconds", async () => {
  const { data } = await openPage();
  await vi.advanceTimersByTimeAsync(11_000);
  expect(data.snapshot().isConnected).toBe(true);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(data.snapshot()).toMatchObject({ isConnected: false, lastDataAt: 40 });
});

test("shows a lost connection within a second after the machine slept", async () => {
  const { data } = await openPage();
  vi.setSystemTime(3_600_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(data.snapshot()).toMatchObject({ isConnected: false, lastDataAt: 40 });
});

test("detects a closed stream even right after a line", async () => {
  const { data, send, close } = await openPage();
  await send({ type: "alive" });
  close();
  await vi.advanceTimersByTimeAsync(500);
  expect(data.snapshot().isConnected).toBe(false);
});

test("the age of a silent watch's data starts at its last confirmation", async () => {
  const { data, send } = await openPage();
  await vi.advanceTimersByTimeAsync(10_000);
  await send({ of: "nodes", type: "unavailable", message: "silent", currentAt: 25 });
  await vi.advanceTimersByTimeAsync(100);
  expect(data.snapshot()).toMatchObject({ lastDataAt: 25, kinds: { nodes: { problem: "silent" } } });
});
