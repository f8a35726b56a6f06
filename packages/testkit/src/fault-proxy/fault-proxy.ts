// A reverse proxy between one client and a real API server that injects faults and traces requests.

import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { issueAuthority, issueServer } from "@virt/kube";
import { certificateValidity, controlPlaneFiles } from "../server/control-plane.ts";
import type { Server } from "../server/server.ts";
import { writeKubeconfig } from "../server/test-client.ts";
import { type ExchangeSockets, openExchange, openUpstream } from "./exchange.ts";
import { ArmedPlans, type FaultPlan } from "./fault-plan.ts";
import { type ProxyState, serveRequest } from "./inject-faults.ts";
import { parseRequestInfo, Trace, type TracedRequest } from "./request-info.ts";
import { FrameRules, OpenWatches } from "./watch-frames.ts";

/** Clients connect with `url` and `authority`, or with a kubeconfig. Without an armed plan, requests pass unchanged. */
export type FaultProxy = {
  readonly url: string;
  /** The PEM certificate of the proxy's CA. */
  readonly authority: string;
  /** A client certificate does not pass through the proxy, so accounts need a token. */
  readonly kubeconfigFor: (user: string, account: { readonly token: string }) => string;
  /** Starts counting requests. The result reports whether the plan has fired. */
  readonly arm: (plan: FaultPlan) => () => boolean;
  /** Removes all plans and releases held requests and frames. A silenced watch stays silent. */
  readonly disarm: () => void;
  readonly trace: () => readonly TracedRequest[];
  /** Rejects if the proxy itself or a planned crash failed, because the test is then meaningless. */
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** The proxied API server. Plans with a crash require `onCrash`. */
export type FaultProxyOptions = {
  readonly server: Pick<Server, "url" | "folder">;
  /** Kills the client with SIGKILL and waits for its end. */
  readonly onCrash?: () => Promise<void>;
};

/** Starts a proxy that injects the faults of armed plans. `stop` throws if the proxy itself failed. */
export async function startFaultProxy({ server, onCrash }: FaultProxyOptions): Promise<FaultProxy> {
  const rules = new FrameRules();
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const crash = () => (onCrash ?? rejectCrash)().catch(failed);
  const upstream = openUpstream(server.url, readFileSync(join(server.folder, controlPlaneFiles.authority), "utf8"));
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

function rejectCrash(): Promise<never> {
  return Promise.reject(new Error("a plan crashes the client, but the proxy was not told how"));
}

async function listen(proxy: ProxyState) {
  const valid = certificateValidity(Date.now());
  const authority = issueAuthority("fault proxy", valid);
  const { certificate, key } = issueServer(authority, ["127.0.0.1", "localhost"], valid);
  // The sockets by client port. A reset needs the TCP socket below TLS.
  const sockets = new Map<number, Socket>();
  // Only plans may end a connection.
  const timeouts = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };
  const server = createServer({ cert: certificate, key, ...timeouts }, (request, response) => {
    const socket = sockets.get(request.socket.remotePort ?? 0);
    if (socket !== undefined) void handleRequest(proxy, { request, response, socket });
  });
  server.on("connection", (socket: Socket) => {
    const { remotePort = 0 } = socket;
    sockets.set(remotePort, socket);
    socket.on("error", () => undefined); // clients may disconnect at any time
    socket.once("close", () => sockets.get(remotePort) === socket && sockets.delete(remotePort));
  });
  server.on("tlsClientError", () => undefined); // also during the TLS handshake
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets.values()) socket.destroy();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, authority: authority.certificate, close };
}

async function handleRequest(proxy: ProxyState, sockets: ExchangeSockets): Promise<void> {
  const { method = "GET", url = "/", headers } = sockets.request;
  const info = parseRequestInfo(method, url, headers);
  const entry = proxy.trace.open(info, Date.now());
  try {
    const upstreamRequest = { method, url, headers, body: await buffer(sockets.request) };
    await serveRequest(proxy, openExchange(sockets, { request: info, entry, upstreamRequest }));
  } catch (error) {
    // Network errors have a code. The proxy resets its connection as the API server does.
    if (!(error instanceof Error && "code" in error)) proxy.failed(error);
    sockets.socket.resetAndDestroy();
  } finally {
    entry.endedMs = Date.now();
  }
}
