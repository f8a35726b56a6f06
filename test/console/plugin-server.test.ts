// Attacks on the shipped plugin server: it serves only its own files, and only to GET and HEAD.

import { readdirSync, readFileSync } from "node:fs";
import { request as sendHttps } from "node:https";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { gunzipSync } from "node:zlib";
import { inRepository } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PluginServer, startPluginServer } from "./plugin-server.ts";

let server: PluginServer;
beforeAll(async () => {
  server = await startPluginServer();
});
afterAll(async () => {
  await server.end();
});

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly body: Buffer };

function ask(path: string, method = "GET", headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const place = { host: "127.0.0.1", port: server.port, ca: server.authority, agent: false } as const;
    const sent = sendHttps({ ...place, path, method, headers }, (answered) => {
      const pieces: Buffer[] = [];
      answered.on("data", (piece: Buffer) => pieces.push(piece));
      answered.once("end", () =>
        resolve({ status: answered.statusCode ?? 0, headers: answered.headers, body: Buffer.concat(pieces) }),
      );
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

/** Sends the path unmodified, unlike an HTTP client. */
async function askRaw(line: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port: server.port, ca: server.authority });
  socket.write(`${line}\r\nHost: a\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

test("serves the manifest and its entry script with safe headers", async () => {
  const manifest = await ask("/plugin-manifest.json");
  expect(manifest.headers).toMatchObject({ "content-type": "application/json", "cache-control": "no-cache" });
  const { name, loadScripts } = JSON.parse(manifest.body.toString()) as { name: string; loadScripts: string[] };
  expect([name, loadScripts.length]).toEqual(["virt-advisor", 1]);
  const script = await ask(`/${loadScripts[0]}?cacheBuster=1`, "GET", { "accept-encoding": "br, gzip" });
  expect(script.status).toBe(200);
  expect(script.headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "content-encoding": "gzip",
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
  });
  expect(gunzipSync(script.body).toString()).toContain("__load_plugin_entry__");
});

test("every other file has a hashed name and is cached permanently", async () => {
  const files = readdirSync(inRepository("dist", "console-plugin")).filter((name) => name !== "plugin-manifest.json");
  expect(files.length).toBeGreaterThan(4);
  const answers = await Promise.all(files.map((name) => ask(`/${name}`)));
  const caching = answers.map(({ status, headers }) => [status, headers["cache-control"]]);
  expect(caching).toEqual(files.map(() => [200, "public, max-age=31536000, immutable"]));
});

test("answers HEAD without a body, and the kubelet's probe", async () => {
  const { status, headers, body } = await ask("/plugin-manifest.json", "HEAD");
  expect([status, Number(headers["content-length"]) > 0, body.length]).toEqual([200, true, 0]);
  expect((await ask("/readyz")).status).toBe(200);
});

const paths = [
  "/",
  "/../etc/passwd",
  "/..%2f..%2fetc/passwd",
  "/%2e%2e/%2e%2e/etc/passwd",
  "/plugin-manifest.json/../../etc/passwd",
  "/.//plugin-manifest.json",
  "//plugin-manifest.json",
  "/plugin-manifest.json%00.js",
  "/plugin-manifest.json/",
  "/PLUGIN-MANIFEST.JSON",
  "/constructor",
  "/__proto__",
  "/virt-console-plugin.mjs",
  "/tls.key",
  "https://example.com/plugin-manifest.json",
];

test.each(paths)("returns 404 for %s", async (path) => {
  expect(await askRaw(`GET ${path} HTTP/1.1`)).toMatch(/^HTTP\/1\.1 404 [^]*\r\n\r\nNot found\n$/);
});

test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])(
  "rejects %s with the allowed methods",
  async (method) => {
    const { status, headers } = await ask("/plugin-manifest.json", method);
    expect([status, headers["allow"]]).toEqual([405, "GET, HEAD"]);
  },
);

test("rejects a GET with a body and a malformed request", async () => {
  expect((await ask("/plugin-manifest.json", "GET", { "content-length": "2" }, "{}")).status).toBe(413);
  expect(await askRaw("GET")).toMatch(/^HTTP\/1\.1 400 /);
});

test("the bill of materials names the plugin's packages, including webpack", () => {
  const bill = JSON.parse(readFileSync(inRepository("dist", "sbom.cdx.json"), "utf8")) as {
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
  };
  const inside = bill.dependencies.find(({ ref }) => ref === "file:virt-console-plugin.mjs")?.dependsOn ?? [];
  const names = inside.map((purl) => purl.replace(/^pkg:npm\/|@[^@]*$/g, "").replace("%40", "@"));
  expect(names).toEqual(
    expect.arrayContaining(["@patternfly/react-core", "@patternfly/react-icons", "react-dom", "webpack"]),
  );
  expect(names).not.toContain("@openshift-console/dynamic-plugin-sdk");
});

test("exits with 0 on SIGTERM", async () => {
  const another = await startPluginServer();
  expect(await another.end()).toBe(0);
});
