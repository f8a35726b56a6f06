// Saves and restores the contents of etcd, which resets a cluster.

import type { Crd } from "./crds.ts";

/** Keys and values are base64, the format of etcd's gateway. */
export type EtcdSnapshot = Map<string, { readonly value: string; readonly revision: string }>;

export type RestoreResult =
  | { readonly kind: "restored" }
  /**
   * The kind cannot be restored. API servers cache it and update the cache late, so they would return a mix of old and
   * new data.
   */
  | { readonly kind: "refused"; readonly key: string };

export async function readSnapshot(etcdUrl: string): Promise<EtcdSnapshot> {
  const kvs = await readRange(etcdUrl, {});
  return new Map(kvs.map(({ key, value = "", mod_revision: revision }) => [key, { value, revision }]));
}

/**
 * Deletes new keys and restores changed ones. Repeats until nothing changes, because a request of a killed client may
 * still be in flight.
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

/** Writes content into etcd, except the API server's own keys. Returns false if the etcd at this address has another name. */
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

/** Parses the CRDs, which etcd stores as JSON. */
export function crdsIn(content: EtcdSnapshot): readonly Crd[] {
  const found = [...content].filter(([key]) => startsWithOne(key, ["apiextensions.k8s.io/customresourcedefinitions/"]));
  return found.map(([, { value }]) => JSON.parse(textOf(value)) as Crd);
}

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

/** etcd rejects larger transactions. */
const mostOperations = 128;

/** Keys that an API server may write at any time. */
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

/** Kinds that API servers cache for authorization, admission, discovery, or flow control, and update late. */
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
