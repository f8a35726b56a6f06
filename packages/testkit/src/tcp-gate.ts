// A TCP proxy that tests can cut, silence or close.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * "closed" resets existing and new connections. "silent" forwards nothing, as if the machine had vanished. Bytes sent
 * in the meantime are lost.
 */
export type GateMode = "open" | "closed" | "silent";

/** A running gate. `cut` resets all open connections. */
export type TcpGate = {
  readonly port: number;
  readonly setMode: (mode: GateMode) => void;
  /** New connections still work. */
  readonly cut: () => void;
  readonly connectionCount: () => number;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** Starts in mode "open". */
export async function startTcpGate(target: { readonly host: string; readonly port: number }): Promise<TcpGate> {
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket }>();
  let mode: GateMode = "open";
  let asked = 0;
  const server = createServer((near) => {
    asked++;
    near.on("error", () => undefined);
    if (mode === "closed") return near.resetAndDestroy();
    const far = connect(target);
    far.on("error", () => near.destroy());
    const pair = { near, far };
    pairs.add(pair);
    joinSockets(pair, () => mode === "silent");
    near.on("close", () => {
      far.destroy();
      pairs.delete(pair);
    });
    far.on("close", () => mode !== "silent" && near.destroy());
  });
  const cut = () => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connectionCount: () => asked,
    cut,
    setMode: (next) => {
      mode = next;
      if (next === "closed") cut();
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function joinSockets({ near, far }: { readonly near: Socket; readonly far: Socket }, isSilent: () => boolean): void {
  near.on("data", (bytes) => isSilent() || far.write(bytes));
  far.on("data", (bytes) => isSilent() || near.write(bytes));
  near.on("end", () => far.end());
  far.on("end", () => isSilent() || near.end());
}
