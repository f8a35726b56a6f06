import fc from "fast-check";
import { expect, test } from "vitest";
import { formatEndpoint, parseBindAddress } from "./http-server.ts";

test.each([
  { text: ":8081", endpoint: { port: 8081 } },
  { text: "127.0.0.1:8083", endpoint: { host: "127.0.0.1", port: 8083 } },
  { text: "[::1]:9", endpoint: { host: "::1", port: 9 } },
  { text: "localhost:0", endpoint: { host: "localhost", port: 0 } },
  { text: ":65535", endpoint: { port: 65_535 } },
])("$text is an address", ({ text, endpoint }) => {
  expect(parseBindAddress(text)).toEqual({ kind: "at", endpoint });
});

test("0 means off", () => {
  expect(parseBindAddress("0")).toEqual({ kind: "off" });
});

test.each([
  "",
  "8081",
  ":",
  ":http",
  "::1:9",
  "[::1]",
  "[nine]:9",
  "[]:9",
  ":65536",
  ":-1",
  "a b:9",
  "http://a:9",
  ":9 ",
])("rejects %j in one line that quotes it", (text) => {
  const address = parseBindAddress(text);
  expect(address).toMatchObject({ kind: "bad" });
  expect("problem" in address ? address.problem : "").toMatch(/^".*" is not a valid listen address: [^\n]+$/);
});

test("reads a formatted address back", () => {
  const hosts = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
  const law = fc.property(hosts, fc.nat(65_535), (host, port) => {
    expect(parseBindAddress(formatEndpoint({ host, port }))).toEqual({ kind: "at", endpoint: { host, port } });
  });
  fc.assert(law);
});
