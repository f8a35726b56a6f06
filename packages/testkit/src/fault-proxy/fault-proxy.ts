// A reverse proxy between one client and a real API server that breaks what a plan says, and writes down what passed.

import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { issueAuthority, issueServer } from "@virt/kube";
import { writeKubeconfig } from "../server/kubeconfig.ts";
import { validity } from "../server/launch.ts";
import { files } from "../server/programs.ts";
import type { Server } from "../server/server.ts";
import { ArmedPlans } from "./armed-plans.ts";
import { readCall } from "./call.ts";
import { openExchange } from "./exchange.ts";
import { type Path, serve } from "./faulty-path.ts";
import { FrameRules } from "./frame-rules.ts";
import type { Plan } from "./plan.ts";
import { OpenWatches } from "./relay.ts";
import { Trace, type Traced } from "./trace.ts";
import { openUpstream } from "./upstream.ts";

export type FaultProxy = {
  readonly url: string;
  /** The certificate of the proxy's own authority, in PEM. */
  readonly authority: string;
  /** Only for accounts with a token: the proxy ends TLS, so a client certificate does not get through. */
  readonly kubeconfigFor: (user: string, account: { readonly token: string }) => string;
  /** Counting starts now. Returns whether the plan has fired so far. */
  readonly arm: (plan: Plan) => () => boolean;
  /** Forgets all plans and lets go the frames that are held; a silenced watch stays silent. */
  readonly disarm: () => void;
  readonly trace: () => readonly Traced[];
  /** Rejects if the proxy itself failed, or a planned crash did: such a run has proved nothing. */
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type FaultProxySettings = {
  readonly server: Pick<Server, "url" | "folder">;
  /** Ends the client with SIGKILL and settles when it is gone. */
  readonly onCrash?: () => Promise<void>;
};

export async function startFaultProxy({ server, onCrash }: FaultProxySettings): Promise<FaultProxy> {
  const rules = new FrameRules();
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const crash = () => (onCrash ?? nobody)().catch(failed);
  const upstream = openUpstream(server.url, readFileSync(join(server.folder, files.authority), "utf8"));
  const parts = { plans: new ArmedPlans(), rules, watches: new OpenWatches(rules), trace: new Trace() };
  const { port, authority, close } = await listen({ ...parts, upstream, crash, failed });
  const url = `https://127.0.0.1:${port}`;
  const stop = async () => {
    await close();
    upstream.close();
    if (failures.length > 0) throw new AggregateError(failures, `the proxy failed: ${failures.join("; ")}`);
  };
  return {
    url,
    authority,
    kubeconfigFor: (user, { token }) => {
      const file = join(server.folder, `proxy-${port}-${encodeURIComponent(user)}.kubeconfig`);
      return writeKubeconfig(file, { url, authority, user, identity: { token } });
    },
    arm: (plan) => parts.plans.arm(plan),
    disarm: () => {
      parts.plans.disarm();
      rules.clear();
    },
    trace: () => parts.trace.read(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function nobody(): Promise<never> {
  return Promise.reject(new Error("a plan crashes the client, but the proxy was not told how"));
}

async function listen(path: Path) {
  const valid = validity(Date.now());
  const authority = issueAuthority("fault proxy", valid);
  const { certificate, key } = issueServer(authority, ["127.0.0.1", "localhost"], valid);
  // By the client's port: only the TCP socket below TLS can be reset.
  const sockets = new Map<number, Socket>();
  // Nothing here ends a connection but a plan.
  const patience = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };
  const server = createServer({ cert: certificate, key, ...patience }, (request, response) => {
    const socket = sockets.get(request.socket.remotePort ?? 0);
    if (socket !== undefined) void pass(path, { request, response, socket });
  });
  server.on("connection", (socket: Socket) => {
    const { remotePort = 0 } = socket;
    sockets.set(remotePort, socket);
    socket.on("error", () => undefined); // clients may go at any time
    socket.once("close", () => sockets.get(remotePort) === socket && sockets.delete(remotePort));
  });
  server.on("tlsClientError", () => undefined); // so may they before they have said anything
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets.values()) socket.destroy();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, authority: authority.certificate, close };
}

type Ends = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly socket: Socket };

async function pass(path: Path, ends: Ends): Promise<void> {
  const { method = "GET", url = "/", headers } = ends.request;
  const call = readCall(method, url, headers);
  const entry = path.trace.open(call, Date.now());
  try {
    const asked = { method, url, headers, body: await buffer(ends.request) };
    await serve(path, openExchange(ends, { call, entry, asked }));
  } catch (error) {
    // The network's errors have a code: the API server is gone, or broke the stream, and so does the proxy.
    if (!(error instanceof Error && "code" in error)) path.failed(error);
    ends.socket.resetAndDestroy();
  } finally {
    entry.endedMs = Date.now();
  }
}
