// What an etcd holds, read once and put back later: undoes whatever was done in a cluster, without the API server's help.

import type { Crd } from "./crds.ts";

/** By key; keys and values are base64, as etcd's gateway has them. */
export type EtcdSnapshot = Map<string, { readonly value: string; readonly revision: string }>;

export type RestoreResult =
  | { readonly kind: "restored" }
  /** Something that API servers take in late: what they serve would be a mixture for a while. */
  | { readonly kind: "refused"; readonly key: string };

export async function readSnapshot(etcdUrl: string): Promise<EtcdSnapshot> {
  const kvs = await readRange(etcdUrl, {});
  return new Map(kvs.map(({ key, value = "", mod_revision: revision }) => [key, { value, revision }]));
}

/**
 * Deletes what came, and writes again what was changed or deleted; the API server sees it as another one's doing. Repeats
 * until nothing is left to do: a request of a client that was killed may still be on its way.
 */
export async function restoreSnapshot(etcdUrl: string, snapshot: EtcdSnapshot): Promise<RestoreResult> {
  for (;;) {
    const found = await readRange(etcdUrl, { keys_only: true });
    const changes = changesBack(found, snapshot);
    const late = changes.find(({ key }) => isTakenInLate(key));
    if (late !== undefined) return { kind: "refused", key: textOf(late.key) };
    if (changes.length === 0) return { kind: "restored" };
    for (let at = 0; at < changes.length; at += mostOperations)
      await writeBack(etcdUrl, changes.slice(at, at + mostOperations), snapshot);
  }
}

/** Writes all of it but the API server's own into an etcd that nobody uses yet. False: the one at that address has another name. */
export async function writeContent(etcdUrl: string, name: string, content: EtcdSnapshot): Promise<boolean> {
  const { members } = (await post(etcdUrl, "/v3/cluster/member/list", {})) as {
    readonly members: readonly { readonly name?: string }[];
  };
  if (!members.some((member) => member.name === name)) return false;
  const all = [...content].filter(([key]) => !isServersOwn(key)).map(([key, { value }]) => ({ key, value }));
  for (let at = 0; at < all.length; at += mostOperations) {
    const success = all.slice(at, at + mostOperations).map((requestPut) => ({ requestPut }));
    await post(etcdUrl, "/v3/kv/txn", { success });
  }
  return true;
}

/** The definitions among it: they are stored as JSON. */
export function crdsIn(content: EtcdSnapshot): readonly Crd[] {
  const found = [...content].filter(([key]) => startsWithOne(key, ["apiextensions.k8s.io/customresourcedefinitions/"]));
  return found.map(([, { value }]) => JSON.parse(textOf(value)) as Crd);
}

/** `value` is absent for what must go. */
type EtcdChange = { readonly key: string; readonly value?: string };
type EtcdKeyValue = { readonly key: string; readonly value?: string; readonly mod_revision: string };

function changesBack(found: readonly EtcdKeyValue[], snapshot: EtcdSnapshot): readonly EtcdChange[] {
  const revisions = new Map(found.map(({ key, mod_revision }) => [key, mod_revision]));
  const gone = found.filter(({ key }) => !snapshot.has(key)).map(({ key }) => ({ key }));
  const changed = [...snapshot].flatMap(([key, { value, revision }]) =>
    revisions.get(key) === revision ? [] : { key, value },
  );
  return [...gone, ...changed].filter(({ key }) => !isServersOwn(key));
}

async function writeBack(etcdUrl: string, changes: readonly EtcdChange[], snapshot: EtcdSnapshot): Promise<void> {
  const success = changes.map(({ key, value }) =>
    value === undefined ? { requestDeleteRange: { key } } : { requestPut: { key, value } },
  );
  const { header } = (await post(etcdUrl, "/v3/kv/txn", { success })) as { readonly header: { revision: string } };
  for (const { key, value } of changes)
    if (value !== undefined) snapshot.set(key, { value, revision: header.revision });
}

/** etcd refuses more in one transaction. */
const mostOperations = 128;

/** What an API server writes of its own accord, and may write again at any time. */
const serversOwn = [
  "leases/kube-system/",
  "masterleases/",
  "peerserverleases/",
  "configmaps/kube-system/",
  "namespaces/kube-",
  "services/specs/default/kubernetes",
  "services/endpoints/default/kubernetes",
  "endpointslices/default/kubernetes",
  "ipaddresses/",
  "servicecidrs/",
  "ranges/",
];

/**
 * Kinds that an API server holds in forms of its own, for authorization, admission, discovery or flow control, and brings up
 * to date some time after they were written.
 */
const takenInLate = [
  "apiextensions.k8s.io/",
  "apiregistration.k8s.io/",
  "clusterroles/",
  "clusterrolebindings/",
  "roles/",
  "rolebindings/",
  "validatingadmissionpolic",
  "mutatingadmissionpolic",
  "validatingwebhookconfigurations/",
  "mutatingwebhookconfigurations/",
  "flowschemas/",
  "prioritylevelconfigurations/",
];

const root = "/registry/";
const isServersOwn = (key: string) => startsWithOne(key, serversOwn);
const isTakenInLate = (key: string) => startsWithOne(key, takenInLate);

function startsWithOne(key: string, prefixes: readonly string[]): boolean {
  const path = textOf(key).slice(root.length);
  return prefixes.some((prefix) => path.startsWith(prefix));
}

const textOf = (base64: string) => Buffer.from(base64, "base64").toString();
const base64Of = (text: string) => Buffer.from(text).toString("base64");

async function readRange(etcdUrl: string, options: { readonly keys_only?: true }): Promise<readonly EtcdKeyValue[]> {
  const range = { key: base64Of(root), range_end: base64Of("/registry0"), ...options };
  const { kvs = [] } = (await post(etcdUrl, "/v3/kv/range", range)) as { readonly kvs?: readonly EtcdKeyValue[] };
  return kvs;
}

async function post(etcdUrl: string, path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(new URL(path, etcdUrl), { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd answered ${answer.status} to ${path}: ${await answer.text()}`);
  return answer.json();
}
