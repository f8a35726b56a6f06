// Tests in virtual time when the sessions of the server end.

import { afterEach, beforeEach, expect, test } from "vitest";
import { type ServedConsole, serveConsole } from "./serve-console.ts";

const minutes = 60_000;
const config = "/cluster/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/load-aware-rebalancing";
const clock = { now: 0 };
let served: ServedConsole;
let origin: string;
let cookie: string;
let key: string;

beforeEach(async () => {
  clock.now = 0;
  served = await serveConsole({
    // Nothing listens on port 1, so a forwarded request ends as 502.
    access: { server: "http://127.0.0.1:1", isInsecure: false, source: "a test" },
    pages: new Map(),
    userAgent: "virt-console/test",
    port: 0,
    previewEnablement: async () => ({ assets: ["swap-enable"], impact: null }),
    now: () => clock.now,
  });
  ({ origin } = new URL(served.url));
  const opened = await fetch(served.url, { redirect: "manual" });
  cookie = opened.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  key = /^\/#key=([0-9a-f]{64})$/.exec(opened.headers.get("location") ?? "")?.[1] ?? "";
});
afterEach(() => served.close());

function ask(path: string, headers: Record<string, string>, method = "GET"): Promise<Response> {
  return fetch(`${origin}${path}`, { method, headers: { origin, ...headers }, signal: AbortSignal.timeout(30_000) });
}

const signedIn = () => ({ cookie, "x-virt-console-key": key });
const actNow = async () => (await ask("/session/activity", signedIn(), "POST")).status;

test("an idle session ends after 30 minutes and shows how to reopen it", async () => {
  clock.now = 29 * minutes;
  expect(await actNow()).toBe(204);
  clock.now = 59 * minutes - 1;
  expect((await ask(config, signedIn())).status).toBe(502);
  clock.now = 59 * minutes;
  const refused = await ask(config, signedIn());
  expect([refused.status, refused.headers.get("x-virt-console-session")]).toEqual([401, "idle"]);
  expect(await actNow()).toBe(401);
  const page = await (await ask("/", signedIn())).text();
  expect(page).toContain("The session ended after 30 minutes without activity.");
  expect(page).toContain("kubectl virt-advisor console");
});

test("an active session ends after 12 hours", async () => {
  for (clock.now = 0; clock.now < 720 * minutes; clock.now += 29 * minutes) expect(await actNow()).toBe(204);
  clock.now = 720 * minutes - 1;
  expect((await ask(config, signedIn())).status).toBe(502);
  clock.now = 720 * minutes;
  const refused = await ask(config, signedIn());
  expect([refused.status, refused.headers.get("x-virt-console-session")]).toEqual([401, "expired"]);
});

test("the page header names no user while the API server is unreachable", async () => {
  expect((await ask("/session/identity", { cookie })).status).toBe(401);
  const identity = await ask("/session/identity", signedIn());
  expect(await identity.json()).toEqual({ server: "http://127.0.0.1:1", user: null });
});

test("only signed-in pages can read the platform controller's impact", async () => {
  expect((await ask("/preview/enablement", { cookie })).status).toBe(401);
  const enablement = await ask("/preview/enablement", signedIn());
  expect(await enablement.json()).toEqual({ assets: ["swap-enable"], impact: null });
});

test("an open stream ends with its session", async () => {
  const stream = await ask("/stream?of=configs", signedIn());
  expect(stream.status).toBe(200);
  clock.now = 30 * minutes;
  expect(await stream.text()).not.toContain('"type":"listed"');
});
