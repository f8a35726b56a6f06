import { chmodSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reply, startScriptedServer, VirtualClock } from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";
import { createObject, getObject, type Resource } from "../client/request.ts";
import { noLease } from "../leaderelection/write-fence.ts";
import { clientOf } from "../testing/scripted-client.ts";
import { RefusedCredentials } from "./credentials.ts";
import { issueAuthority, issueClient, issueServer } from "./x509.ts";

const configMaps: Resource = { group: "", version: "v1", plural: "configmaps", isNamespaced: true };
const read = getObject(configMaps, { namespace: "default", name: "one" });
const write = createObject(configMaps, { namespace: "default" }, { metadata: { name: "one" } });
const never = new AbortController().signal;

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "credentials-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("after a 401, reads a rotated token file and retries once", async () => {
  const folder = emptyFolder();
  const file = join(folder, "token");
  writeFileSync(file, "old\n");
  await using server = await startScriptedServer([
    reply.json(200, {}),
    reply.json(401, {}),
    reply.json(201, {}),
    reply.json(401, {}),
  ]);
  const client = clientOf(server, { access: { bearer: { kind: "token-file", file } } });
  await client.send(read, { signal: never });
  writeFileSync(file, "new\n");
  utimesSync(file, 1, 2);
  expect(await client.under(noLease).write(write, { signal: never })).toMatchObject({ status: 201 });
  expect(await client.send(read, { signal: never })).toMatchObject({ status: 401 });
  const tokens = server.seen.map(({ headers }) => headers.authorization);
  expect(tokens).toEqual(["Bearer old", "Bearer old", "Bearer new", "Bearer new"]);
});

test("runs an exec plugin once, and again after a 401", async () => {
  const folder = emptyFolder();
  const validity = { from: new Date(0), until: new Date(4e12) };
  const authority = issueAuthority("ours", validity);
  const { certificate, key } = issueClient(authority, "ann", [], validity);
  const token = `t$(grep -c call ${folder}/calls)`;
  const status = { token, clientCertificateData: certificate, clientKeyData: key };
  const said = JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status });
  writeFileSync(join(folder, "plugin"), `#!/bin/sh\necho call >>"${folder}/calls"\ncat <<END\n${said}\nEND\n`);
  chmodSync(join(folder, "plugin"), 0o755);
  const plugin = {
    command: "./plugin",
    args: [],
    env: {},
    apiVersion: "client.authentication.k8s.io/v1",
    provideClusterInfo: false,
    folder,
  };
  const server = issueServer(authority, ["127.0.0.1"], validity);
  await using api = await startScriptedServer(
    [reply.json(200, {}), reply.json(200, {}), reply.json(401, {}), reply.json(200, {})],
    { ...server, clientAuthority: authority.certificate },
  );
  const access = { authority: { data: authority.certificate }, bearer: { kind: "exec", plugin } as const };
  const client = clientOf(api, { access });
  for (let round = 0; round < 3; round++)
    expect(await client.send(read, { signal: never })).toMatchObject({ status: 200 });
  expect(readFileSync(join(folder, "calls"), "utf8")).toBe("call\ncall\n");
  expect(api.seen.at(-1)?.headers.authorization).toBe("Bearer t2");
});

test("a missing plugin fails with its install hint, without a request", async () => {
  await using server = await startScriptedServer([]);
  const plugin = {
    command: "no-such-plugin",
    args: [],
    env: {},
    apiVersion: "client.authentication.k8s.io/v1",
    installHint: "see\nour wiki",
    provideClusterInfo: false,
    folder: "/",
  };
  const client = clientOf(server, { access: { bearer: { kind: "exec", plugin } } });
  const answer = await client.send(read, { signal: never });
  expect(answer).toMatchObject({
    failure: { reason: "access", message: "credential plugin no-such-plugin is not installed (see our wiki)" },
  });
  expect(server.seen).toEqual([]);
});

test("sends impersonated groups as separate headers", async () => {
  await using server = await startScriptedServer([reply.json(200, {})]);
  const impersonate = { user: "ann", groups: ["a", "b"], extra: { "team.example/x": ["1"] } };
  await clientOf(server, { access: { impersonate } }).send(read, { signal: never });
  expect(server.seen[0]?.headers).toMatchObject({
    "impersonate-user": "ann",
    "impersonate-group": "a, b",
    "impersonate-extra-team.example%2fx": "1",
  });
});

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
