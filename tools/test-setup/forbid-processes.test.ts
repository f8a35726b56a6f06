import { execFile, spawn, spawnSync } from "node:child_process";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";

const starts: readonly (readonly [string, () => unknown])[] = [
  ["spawn", () => spawn("true")],
  ["spawnSync", () => spawnSync("true")],
  ["execFile", () => execFile("true")],
  ["net.connect", () => connect(1, "127.0.0.1")],
  ["http.request", () => request("http://127.0.0.1:1/")],
  ["listen", () => createServer().listen(0)],
];

test.each(starts)("%s fails in a unit test and names the right file name", (_, start) => {
  expect(start).toThrow("name the file *.integration.test.ts");
});

test("fetch fails in a unit test and names the right file name", async () => {
  const refused = await fetch("http://127.0.0.1:4321/").catch((error: unknown) => error);
  expect(refused).toMatchObject({ cause: { message: expect.stringContaining("name the file *.integration.test.ts") } });
});
