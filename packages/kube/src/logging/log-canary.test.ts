// Puts secrets in every place where they can occur, and checks that the log does not contain them.

import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createObject } from "../client/request.ts";
import { createLog, type Fields, type Log, type LogFormat } from "./log.ts";

function begin(format: LogFormat) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return { lines, log: createLog({ level: "debug", format, isColoured: false, clock: new VirtualClock(), write }) };
}

const canary = "c4nary";
const secret = `${canary}-0123456789abcdef`;
const jwt = `eyJhbGciOiJSUzI1NiJ9.${canary}AAAA.${canary}BBBB`;

const secretObject = { kind: "Secret", apiVersion: "v1", metadata: { name: "s" }, data: { [`key`]: secret } };
const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: secret } };
const kubeconfig = {
  kind: "Config",
  users: [
    { name: "u", user: { token: secret, "client-key-data": secret, password: secret, username: "me" } },
    { name: "e", user: { exec: { command: "get", env: [{ name: "AWS_SECRET_ACCESS_KEY", value: secret }] } } },
    { name: "p", user: { "auth-provider": { config: { "id-token": secret, "refresh-token": secret } } } },
  ],
};
const tokenReviews = {
  group: "authentication.k8s.io",
  version: "v1",
  plural: "tokenreviews",
  isNamespaced: false,
} as const;

const places: readonly unknown[] = [
  { authorization: `Bearer ${secret}` },
  { Authorization: secret },
  { "Proxy-Authorization": [`Basic ${secret}`] },
  { headers: new Headers({ authorization: `Bearer ${secret}`, cookie: secret }) },
  { headers: new Map([["authorization", secret]]) },
  { rawHeaders: ["Host", "x", "Authorization", secret] },
  { _header: `GET / HTTP/1.1\r\nauthorization: Bearer ${secret}\r\nhost: x\r\n\r\n` },
  { _header: `GET / HTTP/1.1\r\nAuthorization: Digest a=1, ${secret}\r\n\r\n` },
  { argv: ["--server", "x", "--token", secret] },
  { argv: [`--token=${secret}`, `--password='${secret}'`] },
  { env: { KUBE_TOKEN: secret, CLIENT_SECRET: secret, HOME: "/" } },
  { bearer: { kind: "basic", username: "me", password: secret } },
  { bytes: Buffer.from(secret) },
  { url: new URL(`https://me:${secret}@proxy:3128/`) },
  { key: `-----BEGIN EC PRIVATE KEY-----\n${secret}\n-----END EC PRIVATE KEY-----\n` },
  { key: `-----BEGIN PRIVATE KEY-----\n${secret}` },
  kubeconfig,
  review,
  secretObject,
  { ...secretObject, data: undefined, stringData: { a: secret, b: { c: [secret] } } },
  { kind: "SecretList", items: [{ metadata: { name: "s" }, data: { a: secret } }] },
  { type: "ADDED", object: secretObject },
  { metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(secretObject) } } },
  createObject(tokenReviews, {}, review),
  createObject({ group: "", version: "v1", plural: "secrets", isNamespaced: true }, { namespace: "n" }, secretObject),
  { status: 200, text: JSON.stringify(secretObject).slice(0, -3) },
  { message: JSON.stringify(JSON.stringify(review)).slice(0, -4) },
  new Error(`401 for Bearer ${secret}`),
  Object.assign(new Error("request failed"), { config: { headers: { authorization: secret } } }),
];

const texts: readonly string[] = [
  `Bearer ${secret}`,
  `the token ${jwt} is old`,
  `sha256~${canary}AAAA`,
  `Authorization: Bearer ${secret}`,
  `users:\n- name: u\n  user:\n    token: ${secret}\n    client-key-data: "${secret}"\n`,
  `apiVersion: v1\nkind: Secret\ndata:\n  key: ${secret}\n`,
  `proxy https://me:${secret}@proxy:3128 refused`,
  `GET /?access_token=${secret}&x=1`,
  `{"token":"${secret}"`,
  `failed: token=["${secret}"]`,
  `cannot send {"authorization":["${secret}"]}, giving up [1]`,
  ...[kubeconfig, review, secretObject].flatMap((one) => [JSON.stringify(one), JSON.stringify(one, null, 2)]),
];

class Holder {
  readonly held: unknown;
  constructor(held: unknown) {
    this.held = held;
  }
}

const wrappings: readonly ((value: unknown) => unknown)[] = [
  (value) => ({ inner: value, other: 1 }),
  (value) => [value],
  (value) => ["before", value, "after"],
  (value) => new Error("failed", { cause: value }),
  (value) => Object.assign(new Error("failed"), { details: value }),
  (value) => new AggregateError([value], "many"),
  (value) => new Map([["inner", value]]),
  (value) => new Set([value]),
  (value) => new Holder(value),
  (value) => Object.assign(Object.create(null) as object, { value }),
  (value) => JSON.stringify(value) ?? "",
  (value) => JSON.stringify({ value }, null, 2),
  (value) => new Error(typeof value === "string" ? value : (JSON.stringify(value) ?? "")),
];

const wrapped = fc
  .tuple(fc.constantFrom(...places, ...texts), fc.array(fc.constantFrom(...wrappings), { maxLength: 4 }))
  .map(([place, layers]) => layers.reduce<unknown>((inner, wrap) => wrap(inner), place));

function messageOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value instanceof Error ? value.message : (JSON.stringify(value) ?? "");
}

const ways: readonly ((log: Log, value: unknown) => void)[] = [
  (log, value) => log.debug("m", { value, shown: "visible" }),
  (log, value) => log.error("m", { error: value, shown: "visible" }),
  (log, value) => log.child({ value }).info("m", { shown: "visible" }),
  (log, value) => log.child({ controller: value, shown: "visible" }).info("m"),
  (log, value) => log.info(messageOf(value), { shown: "visible" }),
  (log, value) => log.info(`failed: ${messageOf(value)}`, { shown: "visible" }),
  (log, value) => log.warn("m", { ...(typeof value === "string" ? { value } : (value as Fields)), shown: "visible" }),
];

describe.each(["json", "pretty"] as const)("in format %s", (format) => {
  test("never writes a secret, in any place or wrapping", () => {
    const { log, lines } = begin(format);
    const law = fc.property(wrapped, fc.constantFrom(...ways), (value, way) => {
      way(log, value);
      const [output = "", ...others] = lines.splice(0);
      return others.length === 0 && output.includes("visible") && !output.includes(canary);
    });
    fc.assert(law);
  });

  test("redacts each of the examples", () => {
    for (const place of [...places, ...texts]) {
      const { log, lines } = begin(format);
      log.debug("m", { place });
      expect(lines.join("")).not.toContain(canary);
    }
  });

  test("writes texts that are not secret", () => {
    const { log, lines } = begin(format);
    log.info('secrets "pull" is forbidden: User "me" cannot get resource', {
      request: { method: "GET", path: "/api/v1/namespaces/n/secrets/pull", body: '{"spec":{"secretName":"pull"}}' },
      spec: { automountServiceAccountToken: false, tokens: 25, secretName: "pull", tokenFile: "/var/run/t" },
      object: { kind: "ConfigMap", data: { mode: "fast" } },
    });
    for (const shown of ["User", "secrets/pull", "secretName", "false", "25", "/var/run/t", "fast"]) {
      expect(lines.join("")).toContain(shown);
    }
    expect(lines.join("")).not.toContain("redacted");
  });
});
