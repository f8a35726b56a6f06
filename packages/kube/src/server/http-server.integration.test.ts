import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectSecure } from "node:tls";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createSelfSignedCertificate } from "../auth/certificate.ts";
import { defaultServerLimits, listen, type ServerLimits } from "./http-server.ts";

const hasty = { requestMs: 100, keepMs: 100, idleMs: 200, handshakeMs: 100, checkEveryMs: 20 };

async function begin(limits: Partial<ServerLimits> = {}, kind: "plain" | "secure" = "plain", body = "ok\n") {
  const answered: string[] = [];
  const listening = await listen(
    { host: "127.0.0.1", port: 0 },
    {
      answer: (request) => {
        answered.push(request.url ?? "");
        return Promise.resolve({ status: 200, body });
      },
      limits: { ...defaultServerLimits, ...limits },
      ...(kind === "secure" && { certificate: createSelfSignedCertificate(Date.now()) }),
    },
  );
  if (typeof listening === "string") throw new Error(listening);
  onTestFinished(listening.close);
  const { port } = listening;
  const open = () => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    return socket.on("error", () => undefined);
  };
  return { answered, open, port };
}

async function hear(socket: Socket): Promise<string> {
  try {
    return await text(socket);
  } catch {
    return "reset";
  }
}

function say(socket: Socket, words: string | Uint8Array): Promise<string> {
  socket.write(words);
  return hear(socket);
}

const request = "GET / HTTP/1.1\r\nhost: x\r\n";
const closing = `${request}connection: close\r\n\r\n`;

test.each([
  { reason: "without data", words: "" },
  { reason: "with unfinished headers", words: `${request}x: y\r\n` },
  { reason: "with an unfinished first line", words: "GET /" },
])("closes a connection $reason", async ({ words }) => {
  const { open, answered } = await begin(hasty);
  expect(await say(open(), words)).toMatch(/^$|^HTTP\/1.1 408/);
  expect(answered).toEqual([]);
});

test("closes a connection that sends a byte at a time", async () => {
  const { open, answered } = await begin(hasty);
  const socket = open();
  await once(socket, "connect");
  const drip = setInterval(() => socket.write("x"), 5);
  onTestFinished(() => clearInterval(drip));
  socket.write(`${request}long: `);
  await hear(socket);
  expect(answered).toEqual([]);
});

test("closes a connection without a valid TLS handshake", async () => {
  const { open, answered } = await begin(hasty, "secure");
  expect(await hear(open())).toMatch(/^$|reset/);
  await say(open(), closing);
  await say(open(), "\u0016\u0003\u0001 rubbish");
  expect(answered).toEqual([]);
});

test("rejects old TLS versions", async () => {
  const { port } = await begin({}, "secure");
  const versionWith = (maxVersion: "TLSv1.1" | "TLSv1.2" | "TLSv1.3") =>
    new Promise<string>((resolve) => {
      const minVersion = maxVersion;
      const ciphers = "DEFAULT@SECLEVEL=0"; // otherwise the client refuses to try
      const socket = connectSecure({
        port,
        host: "127.0.0.1",
        rejectUnauthorized: false,
        minVersion,
        maxVersion,
        ciphers,
      });
      socket.once("error", () => resolve("refused"));
      socket.once("secureConnect", () => {
        resolve(socket.getProtocol() ?? "");
        socket.destroy();
      });
    });
  expect([await versionWith("TLSv1.1"), await versionWith("TLSv1.2"), await versionWith("TLSv1.3")]).toEqual([
    "refused",
    "TLSv1.2",
    "TLSv1.3",
  ]);
});

test("limits the headers", async () => {
  const { open, answered } = await begin();
  expect(await say(open(), `${request}x: ${"y".repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431/);
  expect(answered).toEqual([]);
});

test("does not wait for an announced body", async () => {
  const { open } = await begin();
  expect(await say(open(), `${request}content-length: 1000000\r\n\r\nbegin`)).toMatch(
    /^HTTP\/1.1 200 .*connection: close/s,
  );
});

test("closes a connection that does not read its answer", async () => {
  const { open } = await begin({ ...hasty, connectionsEach: 1 }, "plain", "x".repeat(20_000_000));
  const socket = open().pause();
  socket.write(closing);
  await once(socket, "connect");
  const isNextServed = async () => (await say(open(), closing)).startsWith("HTTP/1.1 200");
  await expect.poll(isNextServed, { timeout: 120_000 }).toBe(true);
});

test("limits the connections of an address until old ones close", async () => {
  const { open } = await begin({ connectionsEach: 3 });
  const held = [open(), open(), open()];
  await Promise.all(held.map((socket) => once(socket, "connect")));
  expect(await say(open(), closing)).toMatch(/^$|reset/);
  for (const socket of held) socket.destroy();
  await expect.poll(() => say(open(), closing), { timeout: 120_000 }).toMatch(/^HTTP\/1.1 200/);
});

test("limits the requests of a connection", async () => {
  const { open, answered } = await begin();
  await say(open(), `${request}\r\n`.repeat(5_000));
  expect(answered.length).toBeLessThanOrEqual(defaultServerLimits.requestsEach);
});

test("serves the next request after any input", async () => {
  // On a busy machine, 0.1 s may pass between a connection and its request.
  const { open, answered } = await begin({ ...hasty, requestMs: 2_000, idleMs: 2_000, connectionsEach: 150 });
  const pieces = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.constantFrom("GET / HTTP/1.1\r\n", "host: x\r\n", "transfer-encoding: chunked\r\n", "content-length: -1\r\n\r\n", "\r\n", "0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "upgrade: h2c\r\nconnection: upgrade\r\n", "expect: 100-continue\r\n", "CONNECT x:1 HTTP/1.1\r\n"), // biome-ignore format: a list
  );
  const law = fc.asyncProperty(fc.array(pieces, { maxLength: 8 }), async (words) => {
    const socket = open();
    for (const word of words) socket.write(word);
    socket.end();
    socket.destroySoon();
    const before = answered.length;
    expect(await say(open(), closing)).toMatch(/^HTTP\/1.1 200/);
    expect(answered.length).toBeGreaterThan(before);
  });
  await fc.assert(law, runsForCost(40));
});
