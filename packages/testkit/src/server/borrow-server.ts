// Borrows API servers from the pool of the test run.

import { once } from "node:events";
import { statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { controlPlaneFiles } from "./control-plane.ts";
import { openServer, type Server, startServer } from "./server.ts";
import type { PoolReply, PoolRequest } from "./server-pool.ts";

/** The initial content of a borrowed server. */
export type ServerSetup = {
  /** Must be unique for the result of `prepare`. */
  readonly name: string;
  readonly prepare: (server: Server) => Promise<void>;
};

/** A server without additional content. */
export const emptySetup: ServerSetup = { name: "empty", prepare: () => Promise.resolve() };

/** The environment variable with the path of the pool's socket. Unset: there is no pool. */
export const poolVariable = "VIRT_SERVER_POOL";

/**
 * Returns a server that contains only the result of `prepare`. Its audit log starts now. `stop` returns it to the
 * pool, so end all programs that use it first. Without a pool, starts a new server.
 */
export async function borrowServer(
  setup: ServerSetup,
  socket: string | undefined = process.env[poolVariable],
): Promise<Server> {
  if (socket === undefined) return prepareServer(await startServer(), setup);
  const pool = await connectToPool(socket);
  try {
    const lent = await pool.ask({ borrow: setup.name });
    if (!("controlPlane" in lent)) throw new Error(`no server from the pool: ${JSON.stringify(lent)}`);
    const { controlPlane, isPrepared } = lent;
    const { size } = statSync(join(controlPlane.folder, controlPlaneFiles.auditLog));
    const server = openServer(controlPlane, pool.close, isPrepared ? { bytes: size, ms: Date.now() } : undefined);
    if (isPrepared) return server;
    await prepareServer(server, setup);
    const noted = await pool.ask({ prepared: true });
    if (!("noted" in noted)) throw new Error(`the pool cannot use what was set up: ${JSON.stringify(noted)}`);
    return server;
  } catch (error) {
    await pool.close();
    throw error;
  }
}

async function prepareServer(server: Server, { prepare }: ServerSetup): Promise<Server> {
  try {
    await prepare(server);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function connectToPool(path: string) {
  const socket: Socket = connect(path);
  await once(socket, "connect");
  const lines = createInterface(socket);
  const ask = async (request: PoolRequest): Promise<PoolReply> => {
    const replied = Promise.race([once(lines, "line"), once(lines, "close").then(() => undefined)]);
    socket.write(`${JSON.stringify(request)}\n`);
    const [line] = (await replied) ?? [];
    if (typeof line !== "string") throw new Error("the pool of servers has ended");
    return JSON.parse(line) as PoolReply;
  };
  const close = async () => {
    if (socket.closed) return;
    const closed = once(socket, "close");
    socket.destroy();
    await closed;
  };
  return { ask, close };
}
