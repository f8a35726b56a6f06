import { expect, test } from "vitest";
import { accessFromKubeconfig } from "./kubeconfig.ts";

const base = {
  clusters: [{ name: "c", cluster: { server: "https://api.example:6443/" } }],
  users: [{ name: "u", user: { token: "t" } }],
  contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "team" } }],
  "current-context": "x",
};

const file = (config: unknown, path = "/home/ann/config") => ({ path, text: JSON.stringify(config) });
const withUser = (user: unknown) => [file({ ...base, users: [{ name: "u", user }] })];
const withCluster = (cluster: unknown) => [file({ ...base, clusters: [{ name: "c", cluster }] })];

test("resolves a context to server, user and namespace", () => {
  expect(accessFromKubeconfig([file(base)])).toEqual({
    server: "https://api.example:6443",
    isInsecure: false,
    bearer: { kind: "token", token: "t" },
    namespace: "team",
    context: "x",
    source: 'kubeconfig /home/ann/config, context "x"',
  });
});

test("reads YAML as well as JSON", () => {
  const text =
    "clusters: [{name: c, cluster: {server: http://127.0.0.1:8080}}]\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n";
  expect(accessFromKubeconfig([{ path: "f", text }])).toMatchObject({ server: "http://127.0.0.1:8080" });
});

test("the first of several files wins, and paths are relative to their file", () => {
  const first = { users: [{ name: "u", user: { tokenFile: "token" } }] };
  const second = {
    ...base,
    clusters: [{ name: "c", cluster: { server: "https://b", "certificate-authority": "ca.crt" } }],
  };
  expect(accessFromKubeconfig([file(first, "/a/one"), file(second, "/b/two")])).toMatchObject({
    server: "https://b",
    authority: { file: "/b/ca.crt" },
    bearer: { kind: "token-file", file: "/a/token" },
  });
});

const users = [
  {
    reason: "a token file takes precedence over a token",
    user: { token: "t", tokenFile: "/f" },
    bearer: { kind: "token-file", file: "/f" },
  },
  {
    reason: "sends a password as basic authentication",
    user: { username: "ann", password: "p" },
    bearer: { kind: "basic", username: "ann", password: "p" },
  },
];

test.each(users)("$reason", ({ user, bearer }) => {
  expect(accessFromKubeconfig(withUser(user)).bearer).toEqual(bearer);
});

test("inline certificates take precedence over certificate files", () => {
  const data = Buffer.from("PEM").toString("base64");
  const user = { "client-certificate": "c.crt", "client-certificate-data": data, "client-key": "c.key" };
  expect(accessFromKubeconfig(withUser(user))).toMatchObject({
    certificate: { data: "PEM" },
    key: { file: "/home/ann/c.key" },
  });
});

test("reads impersonated uid, groups and extra", () => {
  const user = { as: "bob", "as-uid": "7", "as-groups": ["g"], "as-user-extra": { k: ["v"] } };
  expect(accessFromKubeconfig(withUser(user)).impersonate).toEqual({
    user: "bob",
    uid: "7",
    groups: ["g"],
    extra: { k: ["v"] },
  });
});

test("reads arguments, environment and install hint of an exec plugin", () => {
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1beta1",
    command: "aws",
    args: ["eks"],
    env: [{ name: "A", value: "b" }],
    installHint: "get it",
  };
  expect(accessFromKubeconfig(withUser({ exec })).bearer).toMatchObject({
    kind: "exec",
    plugin: { command: "aws", args: ["eks"], env: { A: "b" }, installHint: "get it", folder: "/home/ann" },
  });
});

const refusals = [
  { reason: "text that is not YAML", files: [{ path: "f", text: "{" }], message: "cannot read kubeconfig f: " },
  {
    reason: "another YAML document",
    files: [{ path: "f", text: "- a" }],
    message: "it is not a kubeconfig",
  },
  {
    reason: "users that are not a list",
    files: [file({ ...base, users: 7 })],
    message: "users is not a list of named entries",
  },
  {
    reason: "a file without a current context",
    files: [file({})],
    message: "it has no current-context; choose one with kubectl config use-context NAME",
  },
  { reason: "an unknown context", files: [file({ ...base, contexts: [] })], message: 'it has no context "x"' },
  {
    reason: "an unknown cluster",
    files: [file({ ...base, clusters: [] })],
    message: 'refers to cluster "c", which does not exist',
  },
  {
    reason: "an unknown user",
    files: [file({ ...base, users: [] })],
    message: 'refers to user "u", which does not exist',
  },
  {
    reason: "a server without a scheme",
    files: withCluster({ server: "api.example" }),
    message: 'the server "api.example" is not an http or https address',
  },
  {
    reason: "a SOCKS proxy",
    files: withCluster({ server: "https://a", "proxy-url": "socks5://p" }),
    message: 'proxy-url "socks5://p" is not supported',
  },
  {
    reason: "a removed auth provider",
    files: withUser({ "auth-provider": { name: "gcp" } }),
    message: 'auth-provider "gcp" was removed from Kubernetes; use its exec plugin',
  },
  {
    reason: "an exec plugin with an old API",
    files: withUser({ exec: { command: "x", apiVersion: "client.authentication.k8s.io/v1alpha1" } }),
    message: "v1 and v1beta1 are supported",
  },
  {
    reason: "a file that is too large",
    files: [{ path: "f", text: "#".repeat(4_000_001) }],
    message: "larger than 4000000 bytes",
  },
];

test.each(refusals)("rejects $reason in one line that names the file", ({ files, message }) => {
  const read = () => accessFromKubeconfig(files);
  expect(read).toThrow(message);
  expect(read).toThrow(/^[^\n]*kubeconfig (f|\/home\/ann\/config)[^\n]*$/);
});
