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

const refusals: readonly (readonly [
  reason: string,
  files: Parameters<typeof accessFromKubeconfig>[0],
  message: string,
])[] = [
  ["text that is not YAML", [{ path: "f", text: "{" }], "cannot read kubeconfig f: "],
  ["another YAML document", [{ path: "f", text: "- a" }], "it is not a kubeconfig"],
  ["users that are not a list", [file({ ...base, users: 7 })], "users is not a list of named entries"],
  [
    "a file without a current context",
    [file({})],
    "it has no current-context; choose one with kubectl config use-context NAME",
  ],
  ["an unknown context", [file({ ...base, contexts: [] })], 'it has no context "x"'],
  ["an unknown cluster", [file({ ...base, clusters: [] })], 'refers to cluster "c", which does not exist'],
  ["an unknown user", [file({ ...base, users: [] })], 'refers to user "u", which does not exist'],
  [
    "a server without a scheme",
    withCluster({ server: "api.example" }),
    'the server "api.example" is not an http or https address',
  ],
  [
    "a SOCKS proxy",
    withCluster({ server: "https://a", "proxy-url": "socks5://p" }),
    'proxy-url "socks5://p" is not supported',
  ],
  [
    "a removed auth provider",
    withUser({ "auth-provider": { name: "gcp" } }),
    'auth-provider "gcp" was removed from Kubernetes; use its exec plugin',
  ],
  [
    "an exec plugin with an old API",
    withUser({ exec: { command: "x", apiVersion: "client.authentication.k8s.io/v1alpha1" } }),
    "v1 and v1beta1 are supported",
  ],
  ["a file that is too large", [{ path: "f", text: "#".repeat(4_000_001) }], "larger than 4000000 bytes"],
];

test.each(refusals)("rejects %s in one line that names the file", (_reason, files, message) => {
  const read = () => accessFromKubeconfig(files);
  expect(read).toThrow(message);
  expect(read).toThrow(/^[^\n]*kubeconfig (f|\/home\/ann\/config)[^\n]*$/);
});
