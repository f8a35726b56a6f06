import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startTcpGate } from "./tcp-gate.ts";

async function echo(): Promise<{ host: string; port: number }> {
  const server = createServer((socket) => socket.on("error", () => undefined).pipe(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

function client(port: number) {
  const socket = connect(port, "127.0.0.1");
  const heard: string[] = [];
  socket
    .on("data", (bytes) => heard.push(bytes.toString()))
    .on("error", (error) => heard.push(error.message))
    .on("close", () => heard.push("closed"));
  onTestFinished(() => void socket.destroy());
  return { socket, heard };
}

test("passes bytes if open, none if silent, and resets connections if closed", async () => {
  await using gate = await startTcpGate(await echo());
  const first = client(gate.port);
  first.socket.write("one");
  await expect.poll(() => first.heard).toEqual(["one"]);
  gate.setMode("silent");
  first.socket.write("lost");
  const silent = client(gate.port);
  silent.socket.write("lost too");
  await expect.poll(() => gate.connectionCount()).toBe(2);
  gate.setMode("closed");
  await expect.poll(() => first.heard.at(-1)).toBe("closed");
  await expect.poll(() => silent.heard.at(-1)).toBe("closed");
  expect([first.heard, silent.heard].flat()).not.toContain("lost");
  const refused = client(gate.port);
  await expect.poll(() => refused.heard.at(-1)).toBe("closed");
  gate.setMode("open");
  const healed = client(gate.port);
  healed.socket.write("two");
  await expect.poll(() => healed.heard).toEqual(["two"]);
});
