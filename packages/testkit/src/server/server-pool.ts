// Control planes that test files use one after the other: each is put back to how its first user set it up.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ControlPlane } from "./control-plane.ts";
import { type EtcdSnapshot, readSnapshot, restoreSnapshot } from "./etcd-snapshot.ts";
import { launchFound, type ReachedControlPlane } from "./server.ts";

/** From a borrower: what it needs, and later that it has set it up. Closing the connection returns the control plane. */
export type PoolRequest = { readonly borrow: string } | { readonly prepared: true };

/** To a borrower: a control plane, that what it has set up is known, or why there is none. */
export type PoolReply =
  | { readonly controlPlane: ReachedControlPlane; readonly isPrepared: boolean }
  | { readonly noted: true }
  | { readonly failed: string };

/** `socket` is where test files ask for a control plane; `stop` ends all of them. */
export type ServerPool = { readonly socket: string; readonly stop: () => Promise<void> };

/** An idle control plane takes a fiftieth of a core: as much in four minutes as the start of another one. */
const mostIdle = 3;

type PooledControlPlane = {
  readonly setup: string;
  readonly controlPlane: ControlPlane;
  /** Absent until its first user has set it up. */
  snapshot?: EtcdSnapshot;
};

/** Borrowers reach it by its socket, from any process; see `borrowServer`. The control planes end with this process. */
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
  connection.on("error", () => undefined); // a borrower that dies closes it as well
  connection.once("close", () => void lent?.then((pooled) => pool.giveBack(pooled)).catch(() => undefined));
}

/** False: it was not put back, and ends. */
type IdleControlPlane = { readonly pooled: PooledControlPlane; readonly restored: Promise<boolean> };

class IdleControlPlanes {
  /** The one that was given back last comes last. */
  readonly #idle: IdleControlPlane[] = [];
  readonly #ending = new Set<Promise<void>>();
  /** What each set-up left in etcd: the next control plane of that kind starts with it. */
  readonly #contents = new Map<string, EtcdSnapshot>();
  /** Set-ups that somebody is making for the first time; settles when it is known, or given up. */
  readonly #preparing = new Map<string, PromiseWithResolvers<void>>();
  #isEnding = false;

  /** One that is set up like this, or else a new one. */
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

  /** Whoever comes while the first one makes a set-up waits for that. */
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

  /** Whether it is as it was set up. It ends if not. */
  async #restore({ snapshot, controlPlane }: PooledControlPlane): Promise<boolean> {
    if (snapshot !== undefined && !this.#isEnding) {
      const restored = await restoreSnapshot(controlPlane.etcdUrl, snapshot).catch(() => undefined); // its etcd has ended
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
