import { reply, startScriptedServer, VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { getObject, type Resource } from "../client/request.ts";
import { clientOf } from "../testing/scripted-client.ts";
import { RefusedCredentials } from "./refused-credentials.ts";

const configMaps: Resource = { group: "", version: "v1", plural: "configmaps", isNamespaced: true };
const read = getObject(configMaps, { namespace: "default", name: "one" });
const { signal } = new AbortController();
const identity = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, tls });
const tls = {};

test("the pause after rejected credentials doubles from 1 to 30 seconds", () => {
  const clock = new VirtualClock();
  const refused = new RefusedCredentials(clock);
  const rests = Array.from({ length: 7 }, () => {
    refused.refused(identity("a"), "refused");
    const restMs = refused.restMs(identity("a"));
    clock.elapse(restMs);
    return restMs;
  });
  expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(refused.restMs(identity("a"))).toBe(0);
  expect(refused.forMs).toBe(91_000);
});

test("other credentials and accepted requests need no pause", () => {
  const refused = new RefusedCredentials(new VirtualClock());
  refused.refused(identity("a"), "refused");
  expect(refused.restMs(identity("b"))).toBe(0);
  expect(refused.restMs({ ...identity("a"), tls: {} })).toBe(0);
  refused.accepted();
  expect([refused.restMs(identity("a")), refused.isRefused, refused.forMs]).toEqual([0, false, 0]);
});

test("a client with an invalid token sends one request per back-off", async () => {
  await using server = await startScriptedServer([reply.json(401, {}), reply.json(401, {}), reply.json(200, {})]);
  const clock = new VirtualClock();
  const client = clientOf(server, { access: { bearer: { kind: "token", token: "t" } }, clock });
  expect(await client.send(read, { signal })).toMatchObject({ status: 401 });
  const refusal = { reason: "unauthorized", message: expect.stringContaining("retrying in 1 s") };
  expect(await client.send(read, { signal })).toMatchObject({ kind: "failed", failure: refusal });
  clock.elapse(1_000);
  expect(await client.send(read, { signal })).toMatchObject({ status: 401 });
  expect(await client.send(read, { signal })).toMatchObject({ kind: "failed" });
  expect(client.unauthorizedForMs).toBe(1_000);
  clock.elapse(2_000);
  expect(await client.send(read, { signal })).toMatchObject({ status: 200 });
  expect(client.unauthorizedForMs).toBe(0);
  expect(server.seen).toHaveLength(3);
});
