// Creates and changes the ConfigMaps of scenarios: about 2 kB each, with one value that changes.

import type { ApiResponse, Server } from "@virt/testkit";
import { digestOf } from "../programs/protocol.ts";

export const objectName = (at: number): string => `object-${at}`;

const pathOf = (namespace: string, name = "") => `/api/v1/namespaces/${namespace}/configmaps${name && `/${name}`}`;

const settings = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`setting-${at}`, `${at}`.padEnd(60, ".")]));

export async function createNamespace(api: Server, name: string): Promise<void> {
  expectSuccess(await api.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } }));
}

export async function createObjects(api: Server, namespace: string, count: number): Promise<void> {
  await inParallel(count, async (at) => {
    const metadata = { name: objectName(at), labels: { app: "bench", part: `${at % 10}` } };
    const body = { metadata, data: { ...settings, value: "0" } };
    expectSuccess(await api.request({ method: "POST", path: pathOf(namespace), body }));
  });
}

export async function setValue(api: Server, namespace: string, change: { name: string; value: string }): Promise<void> {
  const { name, value } = change;
  const path = pathOf(namespace, name);
  expectSuccess(await api.request({ method: "PATCH", path, body: { data: { value } } }));
}

type Listed = { readonly metadata: { readonly name: string; readonly resourceVersion: string } };

/** Returns the digest that an up-to-date cache of the namespace must have. */
export async function serverDigest(api: Server, namespace: string): Promise<string> {
  const { body } = await api.request({ path: pathOf(namespace) });
  const { items } = body as { readonly items: readonly Listed[] };
  return digestOf(items.map(({ metadata }) => ({ name: metadata.name, version: metadata.resourceVersion })));
}

/** Runs 8 calls in parallel by default. On two cores, more would not make the API server faster. */
export async function inParallel(count: number, act: (at: number) => Promise<void>, atOnce = 8): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let at = next++; at < count; at = next++) await act(at);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

function expectSuccess({ status, body }: ApiResponse): void {
  if (status >= 300) throw new Error(`the API server returned ${status}: ${JSON.stringify(body)}`);
}
