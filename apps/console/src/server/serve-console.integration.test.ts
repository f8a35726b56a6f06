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
    adoption: {
      preview: async ({ replaced }) => ({ ...adoption, summary: replaced.join() }),
      run: async ({ digest }, { onProgress }) => {
        onProgress(`running ${digest}`);
        return { kind: "done" };
      },
    },
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

const adoption = { rows: [], notes: [], summary: "", impact: null, isNeeded: true, digest: "0123456789ab" };

test("only signed-in pages can preview and run an adoption, and only one that they name", async () => {
  const post = async (path: string, body: object, headers: Record<string, string> = signedIn()) => {
    const init = { method: "POST", headers: { origin, ...headers }, body: JSON.stringify(body) };
    const response = await fetch(`${origin}/adoption/${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  const query = { isBack: false, replaced: ["swap-enable"] };
  expect((await post("preview", query, { cookie })).status).toBe(401);
  expect((await post("run", { ...query, digest: adoption.digest }, { cookie })).status).toBe(401);
  expect(JSON.parse((await post("preview", query)).text)).toEqual({ ...adoption, summary: "swap-enable" });
  expect(await post("preview", { isBack: false, replaced: ["../x"] })).toMatchObject({ status: 400 });
  expect(await post("run", query)).toMatchObject({ status: 400 });
  expect((await ask("/adoption/run", signedIn())).status).toBe(405);
  const run = await post("run", { ...query, digest: adoption.digest });
  expect(run).toEqual({
    status: 200,
    text: `{"kind":"progress","text":"running ${adoption.digest}"}\n{"kind":"done"}\n`,
  });
});

test("an open stream ends with its session", async () => {
  const stream = await ask("/stream?of=configs", signedIn());
  expect(stream.status).toBe(200);
  clock.now = 30 * minutes;
  expect(await stream.text()).not.toContain('"type":"listed"');
});
