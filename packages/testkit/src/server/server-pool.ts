// A pool of control planes that are reset to their setup between borrowers.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ControlPlane } from "./control-plane.ts";
import { type EtcdSnapshot, readSnapshot, restoreSnapshot } from "./etcd-snapshot.ts";
import { launchFound, type ReachedControlPlane } from "./server.ts";

/** `prepared` reports that the setup is complete. Closing the connection returns the control plane. */
export type PoolRequest = { readonly borrow: string } | { readonly prepared: true };

export type PoolReply =
  | { readonly controlPlane: ReachedControlPlane; readonly isPrepared: boolean }
  | { readonly noted: true }
  | { readonly failed: string };

/** A running pool. `socket` is the path of its Unix socket. */
export type ServerPool = { readonly socket: string; readonly stop: () => Promise<void> };

/**
 * The maximum number of idle control planes. Each uses 2% of a core, so after four minutes, starting a new one would
 * have been cheaper.
 */
const mostIdle = 3;

type PooledControlPlane = {
  readonly setup: string;
  readonly controlPlane: ControlPlane;
  /** The content of the setup. Absent until the first borrower has prepared it. */
  snapshot?: EtcdSnapshot;
};

/** Serves `borrowServer` in any process. The control planes end with this process. */
export async function startServerPool(): Promise<ServerPool> {
  const folder = mkdtempSync(join(tmpdir(), "virt-server-pool-"));
  const socket = join(folder, "socket");
  const pool = new IdleControlPlanes();
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
    serveBorrower(connection, pool);
  });
  server.listen(socket);
  await once(server, "listening");
  const stop = async () => {
    for (const connection of connections) connection.destroy();
    server.close();
    await pool.end();
    rmSync(folder, { recursive: true, force: true });
  };
  return { socket, stop };
}

function serveBorrower(connection: Socket, pool: IdleControlPlanes): void {
  const send = (reply: PoolReply) => void (connection.writable && connection.write(`${JSON.stringify(reply)}\n`));
  let lent: Promise<PooledControlPlane> | undefined;
  const answer = async (request: PoolRequest) => {
    if ("borrow" in request) {
      lent = pool.take(request.borrow);
      const { controlPlane, snapshot } = await lent;
      const { failure: _failure, end: _end, ...parts } = controlPlane;
      return send({ controlPlane: parts, isPrepared: snapshot !== undefined });
    }
    const pooled = await lent;
    if (pooled === undefined) throw new Error("nothing was borrowed");
    await pool.notePrepared(pooled);
    send({ noted: true });
  };
  createInterface(connection).on("line", (line) => {
    answer(JSON.parse(line) as PoolRequest).catch((error: unknown) => send({ failed: String(error) }));
  });
  connection.on("error", () => undefined);
  connection.once("close", () => void lent?.then((pooled) => pool.giveBack(pooled)).catch(() => undefined));
}

/** `restored` is false if the reset failed. */
type IdleControlPlane = { readonly pooled: PooledControlPlane; readonly restored: Promise<boolean> };

class IdleControlPlanes {
  readonly #idle: IdleControlPlane[] = [];
  readonly #ending = new Set<Promise<void>>();
  /** The etcd contents of each setup, for additional control planes. */
  readonly #contents = new Map<string, EtcdSnapshot>();
  /** Setups that are being prepared for the first time. The promise resolves when this has ended. */
  readonly #preparing = new Map<string, PromiseWithResolvers<void>>();
  #isEnding = false;

  async take(setup: string): Promise<PooledControlPlane> {
    for (;;) {
      const at = this.#idle.findIndex(({ pooled }) => pooled.setup === setup);
      const [found] = at < 0 ? [] : this.#idle.splice(at, 1);
      if (found === undefined) return this.#launch(setup);
      if (await found.restored) return found.pooled;
    }
  }

  async notePrepared(pooled: PooledControlPlane): Promise<void> {
    pooled.snapshot = await readSnapshot(pooled.controlPlane.etcdUrl);
    this.#contents.set(pooled.setup, pooled.snapshot);
    this.#stopPreparing(pooled.setup);
  }

  giveBack(pooled: PooledControlPlane): void {
    if (pooled.snapshot === undefined) this.#stopPreparing(pooled.setup);
    this.#idle.push({ pooled, restored: this.#restore(pooled) });
    for (const idle of this.#idle.splice(0, Math.max(0, this.#idle.length - mostIdle))) void this.#drop(idle);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#idle.splice(0).map((idle) => this.#drop(idle)));
    await Promise.all(this.#ending);
  }

  /** Waits while another borrower prepares the setup for the first time. */
  async #launch(setup: string): Promise<PooledControlPlane> {
    for (let made = this.#preparing.get(setup); made !== undefined; made = this.#preparing.get(setup))
      await made.promise;
    const content = this.#contents.get(setup);
    if (content !== undefined) {
      const controlPlane = await launchFound({ content });
      return { setup, controlPlane, snapshot: await readSnapshot(controlPlane.etcdUrl) };
    }
    this.#preparing.set(setup, Promise.withResolvers());
    try {
      return { setup, controlPlane: await launchFound({}) };
    } catch (error) {
      this.#stopPreparing(setup);
      throw error;
    }
  }

  #stopPreparing(setup: string): void {
    this.#preparing.get(setup)?.resolve();
    this.#preparing.delete(setup);
  }

  /** Ends the control plane if it cannot be reset. */
  async #restore({ snapshot, controlPlane }: PooledControlPlane): Promise<boolean> {
    if (snapshot !== undefined && !this.#isEnding) {
      const restored = await restoreSnapshot(controlPlane.etcdUrl, snapshot).catch(() => undefined);
      if (restored?.kind === "restored") return true;
    }
    this.#end(controlPlane);
    return false;
  }

  async #drop({ pooled, restored }: IdleControlPlane): Promise<void> {
    if (await restored) this.#end(pooled.controlPlane);
  }

  #end(controlPlane: ControlPlane): void {
    const ended = controlPlane.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
