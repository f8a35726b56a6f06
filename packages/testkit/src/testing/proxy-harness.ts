// An API server, an administrator account, and a proxy between them.

import { request } from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";
import type { Fault, FaultTrigger } from "../fault-proxy/fault-plan.ts";
import { type FaultProxy, startFaultProxy } from "../fault-proxy/fault-proxy.ts";
import { splitLines } from "../fault-proxy/watch-frames.ts";
import { borrowServer } from "../server/borrow-server.ts";
import type { Server } from "../server/server.ts";
import { openTestClient, type TestClient } from "../server/test-client.ts";

export const maps = "/api/v1/namespaces/default/configmaps";

export type ProxyTestServer = { readonly api: Server; readonly token: string };

/** Waits until the new role binding takes effect. */
async function startProxyTestServer(): Promise<ProxyTestServer> {
  const subjects = [{ kind: "ServiceAccount", namespace: "default", name: "tester" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
  const body = { metadata: { name: "tester" }, roleRef, subjects };
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
  const prepare = async (fresh: Server) => void (await fresh.request({ method: "POST", path, body }));
  const api = await borrowServer({ name: "an account that may do everything", prepare });
  const account = await api.serviceAccount("default", "tester");
  while ((await account.request({ path: maps })).status !== 200) await wait(20);
  return { api, token: account.token };
}

export const uniqueName = () => `map-${crypto.randomUUID()}`;

/** Starts a server for all tests of the file, and a proxy for each of them. */
export function useProxyHarness(
  onStart: (started: { readonly site: ProxyTestServer; readonly harness: ProxyHarness }) => void,
): void {
  let site: ProxyTestServer;
  beforeAll(async () => {
    site = await startProxyTestServer();
  });
  afterAll(() => site.api.stop());
  beforeEach(async () => {
    const harness = await ProxyHarness.start(site);
    onTestFinished(() => harness.stop());
    onStart({ site, harness });
  });
}

type ProxiedResponse = { readonly status: number; readonly body: unknown } | { readonly broken: string | undefined };

export class ProxyHarness {
  readonly proxy: FaultProxy;
  readonly crashes: number[] = [];
  readonly #site: ProxyTestServer;
  readonly #wire: TestClient;
  readonly #kubeconfig: string;
  readonly #watches: { readonly destroy: () => void }[] = [];

  static async start(site: ProxyTestServer): Promise<ProxyHarness> {
    const crash = { note: () => undefined as void };
    const onCrash = async () => crash.note();
    const harness = new ProxyHarness(site, await startFaultProxy({ server: site.api, onCrash }));
    crash.note = () => void harness.crashes.push(harness.proxy.trace().filter(({ isEffective }) => isEffective).length);
    return harness;
  }

  private constructor(site: ProxyTestServer, proxy: FaultProxy) {
    this.#site = site;
    this.proxy = proxy;
    this.#wire = openTestClient(proxy.url, proxy.authority, { token: site.token });
    this.#kubeconfig = proxy.kubeconfigFor("tester", { token: site.token });
  }

  async stop(): Promise<void> {
    this.#wire.close();
    for (const watch of this.#watches) watch.destroy();
    await this.proxy.stop();
  }

  kubectl(...args: readonly string[]) {
    return this.#site.api.kubectl(`--kubeconfig=${this.#kubeconfig}`, ...args);
  }

  /** Bypasses the proxy. */
  async isStored(name: string): Promise<boolean> {
    return (await this.#site.api.request({ path: `${maps}/${name}` })).status === 200;
  }

  arm(fault: Fault, trigger: FaultTrigger = { on: "request", number: 1, matching: {} }): () => boolean {
    return this.proxy.arm({ name: "test", trigger, fault });
  }

  async send(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<ProxiedResponse> {
    const contentType = method === "PATCH" ? { contentType: "application/apply-patch+yaml" } : {};
    try {
      return await this.#wire.request({ method, path, ...(body !== undefined && { body }), ...contentType });
    } catch (error) {
      return { broken: (error as NodeJS.ErrnoException).code };
    }
  }

  applyConfigMap(name: string, data: Readonly<Record<string, string>> = {}, query = ""): Promise<ProxiedResponse> {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
    return this.send("PATCH", `${maps}/${name}?fieldManager=tester${query}`, body);
  }

  /** Collects frames as `TYPE name`. */
  watchConfigMaps(query = "") {
    const frames: string[] = [];
    let ending: "open" | "ended" | "broken" = "open";
    const end = (how: "ended" | "broken") => {
      if (ending === "open") ending = how;
    };
    const headers = { authorization: `Bearer ${this.#site.token}` };
    const url = `${this.proxy.url}${maps}?watch=true${query}`;
    const outgoing = request(url, { ca: this.proxy.authority, headers, agent: false }, (incoming) => {
      void readFrames(incoming, frames).then(end);
    });
    outgoing.on("error", () => end("broken")).end();
    this.#watches.push(outgoing);
    return { frames, ending: () => ending };
  }
}

async function readFrames(incoming: AsyncIterable<Buffer>, frames: string[]): Promise<"ended" | "broken"> {
  try {
    for await (const line of splitLines(incoming)) frames.push(nameFrame(line.toString()));
    return "ended";
  } catch {
    return "broken";
  }
}

function nameFrame(line: string): string {
  if (!line.endsWith("\n")) return "half a frame";
  const { type, object } = JSON.parse(line) as {
    type: string;
    object: { metadata: { name?: string }; message?: string };
  };
  return `${type} ${object.metadata.name ?? object.message}`;
}
