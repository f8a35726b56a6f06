// Finds TCP ports that nobody listens on.

import { once } from "node:events";
import { createServer } from "node:net";

/** Another process may take one before it is used; whoever starts a program there must be ready to try again. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const listeners = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(listeners.map((listener) => once(listener, "listening")));
  const ports = listeners.map((listener) => {
    const address = listener.address();
    if (address === null || typeof address === "string") throw new Error("a listening socket has no port");
    return address.port;
  });
  await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))));
  return ports;
}
