// A network between a measured process and the API server that tests can break.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiUser, type Server, startTcpGate, type TcpGate } from "@virt/testkit";

export type Network = {
  readonly kubeconfig: string;
  readonly set: TcpGate["setMode"];
  readonly cut: TcpGate["cut"];
  readonly asked: TcpGate["connectionCount"];
  /** Silences existing connections forever, without closing them. New connections work. */
  readonly freeze: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export async function startNetwork(api: Server, actor: ApiUser): Promise<Network> {
  const server = { host: "127.0.0.1", port: Number(new URL(api.url).port) };
  // Chains two gates. The first one forwards each new connection to the most recent second gate.
  const seconds = [await startTcpGate(server)];
  const way = { host: server.host, port: seconds[0]?.port ?? 0 };
  const first = await startTcpGate(way);
  const kubeconfig = join(api.folder, `network-${first.port}.kubeconfig`);
  writeFileSync(kubeconfig, readFileSync(actor.kubeconfig, "utf8").replace(api.url, `https://127.0.0.1:${first.port}`));
  return {
    kubeconfig,
    set: first.setMode,
    cut: first.cut,
    asked: first.connectionCount,
    freeze: async () => {
      seconds.at(-1)?.setMode("silent");
      const next = await startTcpGate(server);
      seconds.push(next);
      way.port = next.port;
    },
    [Symbol.asyncDispose]: async () => {
      for (const gate of [first, ...seconds]) await gate[Symbol.asyncDispose]();
    },
  };
}
