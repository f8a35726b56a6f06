import { load } from "js-yaml";
import { expect, test } from "vitest";
import { addDevContext, type ContextAdded, removeDevContext } from "./kubeconfig-text.ts";

const server = "https://127.0.0.1:40001";
const entries = { cluster: { server, "certificate-authority-data": "Q0E=" }, user: { token: "dev" } };

const users = `apiVersion: v1
clusters:
- cluster:
    server: https://production.example:6443
  name: production
contexts:
- context:
    cluster: production
    namespace: 0123
    user: ann
  name: production
current-context: production
kind: Config
preferences: {}
users:
- name: ann
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      args: ["--serial", "0042", 12345678901234567890]
      command: login
    password: "yes"
    token: '1e3'
`;

function added(text: string, changes = entries): Extract<ContextAdded, { kind: "added" }> {
  const result = addDevContext(text, changes);
  if (result.kind !== "added") throw new Error(result.why);
  return result;
}

test("adds a current context virt-dev and names the previous one", () => {
  const { text, previous } = added(users);
  expect(previous).toBe("production");
  expect(load(text)).toMatchObject({
    "current-context": "virt-dev",
    contexts: [{ name: "production" }, { name: "virt-dev", context: { cluster: "virt-dev", user: "virt-dev" } }],
    clusters: [{ name: "production" }, { name: "virt-dev", cluster: entries.cluster }],
    users: [{ name: "ann" }, { name: "virt-dev", user: entries.user }],
  });
});

test("removing it restores the user's exact text", () => {
  expect(removeDevContext(added(users).text, server)).toEqual({ kind: "removed", text: users, current: "production" });
});

const forms = [
  { form: "JSON", text: `${JSON.stringify(load(users), null, 2)}\n` },
  { form: "empty lists", text: "clusters: null\ncontexts: []\nusers:\ncurrent-context: ''\n" },
  { form: "anchors", text: "x: &a {server: https://b}\nclusters:\n- name: c\n  cluster:\n    <<: *a\n" },
  { form: "entries only", text: "users:\n- name: ann\n  user: {}\n" },
];

test.each(forms)("keeps every value of a file with $form", ({ text }) => {
  const result = removeDevContext(added(text).text, server);
  const empty = { clusters: [], contexts: [], users: [], "current-context": "" };
  const kept = Object.entries(load(text) as object).filter(([, value]) => value !== null);
  if (result.kind !== "removed") throw new Error(result.kind);
  expect(load(result.text)).toEqual({ ...empty, ...Object.fromEntries(kept) });
});

test("leaves only empty lists in a file that did not exist", () => {
  const { text, previous } = added("");
  expect(previous).toBe("");
  expect(load(text)).toMatchObject({ apiVersion: "v1", kind: "Config", "current-context": "virt-dev" });
  const result = removeDevContext(text, server);
  expect(result.kind === "removed" && load(result.text)).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [],
    users: [],
    contexts: [],
    "current-context": "",
  });
});

test("a second cluster replaces the context, and removing it restores the text", () => {
  const second = { ...entries, cluster: { server: "https://127.0.0.1:40002" } };
  const { text, previous } = added(added(users).text, second as typeof entries);
  expect(previous).toBe("production");
  expect(removeDevContext(text, server)).toEqual({ kind: "absent" });
  expect(removeDevContext(text, second.cluster.server)).toMatchObject({ kind: "removed", text: users });
});

test("a context that the user chose later stays current", () => {
  const chosen = added(users).text.replace("current-context: virt-dev", "current-context: other");
  expect(removeDevContext(chosen, server)).toMatchObject({ kind: "removed", current: "other" });
});

const foreign = [
  { what: "a context of the same name", text: "contexts: [{name: virt-dev, context: {cluster: mine}}]" },
  { what: "a user of the same name", text: "users: [{name: virt-dev, user: {token: mine}}]" },
  { what: "a list that is not a list", text: "users: 7" },
  { what: "a file that is not a configuration", text: "- a" },
];

test.each(foreign)("does not touch $what", ({ text }) => {
  expect(addDevContext(text, entries).kind).toBe("refused");
  expect(removeDevContext(text, server).kind).toBe("absent");
});
