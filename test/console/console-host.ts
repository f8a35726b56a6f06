// A minimal OpenShift console on loopback that loads our plugin. It proxies the API server for one user, with the
// checks of OpenShift's console: CSRF token, WebSocket origin and content security policy.

import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { request as sendHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { build } from "esbuild";
import type { PluginServer } from "./plugin-server.ts";

export type ConsoleHost = { readonly origin: string; readonly close: () => Promise<void> };

type Upstream = { readonly url: string; readonly ca: string; readonly cert?: string; readonly key?: string };

const csrfToken = "a-token-of-this-session";
const policy = [
  "base-uri 'self'",
  "default-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "object-src 'self'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
].join("; ");
const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Console</title><link rel="stylesheet" href="/static/styles.css"><script type="module" src="/static/host.js"></script></head>
<body><div id="root"></div></body></html>`;

/** Acts as the kubeconfig's user. */
export async function startConsoleHost(kubeconfig: string, plugin: PluginServer): Promise<ConsoleHost> {
  const folder = await buildHost();
  const cluster = readUpstream(kubeconfig);
  const files: Upstream = { url: `https://127.0.0.1:${plugin.port}`, ca: plugin.authority };
  const sockets = new Set<Duplex>();
  const server = createServer((request, response) => {
    const { url = "", method } = request;
    if (url.startsWith("/api/plugins/virt-advisor/"))
      return forward(request, response, files, url.slice("/api/plugins/virt-advisor".length));
    if (url.startsWith("/api/kubernetes/")) {
      if (method !== "GET" && request.headers["x-csrftoken"] !== csrfToken)
        return answer(response, 403, "invalid CSRF token");
      return forward(request, response, cluster, url.slice("/api/kubernetes".length));
    }
    if (url.startsWith("/static/")) {
      const type = url.endsWith(".js") ? "text/javascript" : "text/css";
      return answer(response, 200, readFileSync(join(folder, url.slice("/static/".length))), { "content-type": type });
    }
    answer(response, 200, page, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "set-cookie": `csrf-token=${csrfToken}; SameSite=Lax; Path=/`,
    });
  });
  server.on("connection", (socket: Duplex) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    const { url = "", headers } = request;
    if (!url.startsWith("/api/kubernetes/") || headers.origin !== `http://${headers.host}`)
      return void socket.destroy();
    forwardSocket(request, socket, cluster, url.slice("/api/kubernetes".length));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => void server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function buildHost(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "virt-console-host-"));
  const components = globSync(
    "node_modules/@patternfly/react-styles/css/{components,layouts,utilities}/**/*.css",
  ).toSorted();
  const styles = ["@patternfly/react-core/dist/styles/base.css", ...components.map((file) => `./${file}`)];
  const common = { outdir: folder, bundle: true, minify: true, logLevel: "error" } as const;
  await build({
    ...common,
    entryPoints: { host: "apps/console/src/plugin/testing/console-host.tsx" },
    format: "esm",
    target: "es2023",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  await build({
    ...common,
    stdin: {
      contents: styles.map((file) => `@import "${file}";`).join("\n"),
      resolveDir: ".",
      loader: "css",
    },
    entryNames: "styles",
    loader: { ".woff2": "dataurl", ".svg": "dataurl", ".jpg": "empty", ".png": "empty" },
    external: ["*.woff", "*.ttf", "*.eot"],
  });
  return folder;
}

type Kubeconfig = {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
};

function readUpstream(kubeconfig: string): Upstream {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig;
  const { server = "", "certificate-authority-data": ca = "" } = clusters[0]?.cluster ?? {};
  const { "client-certificate-data": cert = "", "client-key-data": key = "" } = users[0]?.user ?? {};
  const decode = (text: string) => Buffer.from(text, "base64").toString();
  return { url: server, ca: decode(ca), cert: decode(cert), key: decode(key) };
}

function answer(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, headers);
  response.end(body);
}

function forward(request: IncomingMessage, response: ServerResponse, { url, ...tls }: Upstream, path: string): void {
  const { cookie: _session, host: _host, origin: _origin, ...headers } = request.headers;
  // Never reuses a connection, because the server could be closing it.
  const options = { ...tls, agent: false, method: request.method ?? "GET", headers } as const;
  const sent = sendHttps(new URL(path, url), options, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(response);
  });
  sent.once("error", () => answer(response, 502, "bad gateway"));
  request.pipe(sent);
}

function forwardSocket(request: IncomingMessage, socket: Duplex, { url, ...tls }: Upstream, path: string): void {
  const { cookie: _session, host: _host, ...headers } = request.headers;
  const sent = sendHttps(new URL(path, url), { ...tls, headers: { ...headers, origin: "http://localhost" } });
  const end = () => void socket.destroy();
  sent.once("error", end);
  sent.once("response", end); // refused: a WebSocket client sees only that it is closed
  sent.once("upgrade", (answered, upstream) => {
    const lines = Object.entries(answered.headers).map(([name, value]) => `${name}: ${String(value)}`);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
    socket.pipe(upstream).pipe(socket);
    for (const half of [socket, upstream]) {
      half.once("error", () => undefined);
      half.once("close", () => {
        socket.destroy();
        upstream.destroy();
      });
    }
  });
  sent.end();
}
