// A fake API server for one kind. It sends the same events to every library at full speed, and can break streams.

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { issueAuthority, issueServer } from "@virt/kube";
import { digestOf } from "../programs/protocol.ts";
import { ReplayLog } from "./replay-log.ts";
import { ReplayStreams } from "./replay-streams.ts";

export type ReplayServer = {
  readonly kubeconfig: string;
  /** Appends this many events to the log. Returns the object and value of the last one. */
  readonly send: (events: number) => { readonly name: string; readonly value: string };
  /** Breaks the first stream that reaches this event, in the middle of a line. Resolves afterwards. */
  readonly breakAfter: (events: number) => Promise<void>;
  /** Silences existing streams without closing them. New streams work. */
  readonly freeze: () => void;
  readonly digest: () => string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export async function startReplay(folder: string, objects: number): Promise<ReplayServer> {
  const log = new ReplayLog(objects);
  const { server, authority } = secureServer();
  const streams = new ReplayStreams(log);
  server.on("request", (request, response) => answer({ log, streams }, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    kubeconfig: writeKubeconfig(folder, (server.address() as AddressInfo).port, authority),
    send: (events) => {
      const last = log.advance(events);
      streams.wake();
      return last;
    },
    breakAfter: (events) => streams.breakAt(log.head + events),
    freeze: () => streams.freeze(),
    digest: () => digestOf(log.versions()),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Replay = { readonly log: ReplayLog; readonly streams: ReplayStreams };

function answer(replay: Replay, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "", "https://replay");
  const isObjects = pathname === "/api/v1/namespaces/default/configmaps";
  if (isObjects && searchParams.get("watch") === "true") return follow(replay, response, searchParams);
  const body = isObjects ? replay.log.list() : pathname === "/api/v1" ? resources : undefined;
  response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(body ?? notFound);
}

function follow({ log, streams }: Replay, response: ServerResponse, query: URLSearchParams): void {
  const isList = query.get("sendInitialEvents") === "true";
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  if (isList) for (const text of log.initial()) response.write(text);
  streams.add(
    response,
    isList ? log.head : Number(query.get("resourceVersion")),
    Number(query.get("timeoutSeconds") ?? "3600"),
  );
}

const notFound = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 });
const resources = JSON.stringify({
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "v1",
  resources: [
    { name: "configmaps", singularName: "configmap", namespaced: true, kind: "ConfigMap", verbs: ["list", "watch"] },
  ],
});

function secureServer(): { readonly server: Server; readonly authority: string } {
  const validity = { from: new Date(Date.now() - 3_600_000), until: new Date(Date.now() + 86_400_000) };
  const authority = issueAuthority("replay", validity);
  const { certificate, key } = issueServer(authority, ["127.0.0.1"], validity);
  const server = createServer({ cert: certificate, key });
  server.on("secureConnection", (socket) => socket.on("error", () => undefined));
  return { server, authority: authority.certificate };
}

function writeKubeconfig(folder: string, port: number, authority: string): string {
  const file = `${folder}/replay-${port}.kubeconfig`;
  const cluster = {
    server: `https://127.0.0.1:${port}`,
    "certificate-authority-data": Buffer.from(authority).toString("base64"),
  };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "replay",
    clusters: [{ name: "replay", cluster }],
    users: [{ name: "replay", user: { token: "replay" } }],
    contexts: [{ name: "replay", context: { cluster: "replay", user: "replay" } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
