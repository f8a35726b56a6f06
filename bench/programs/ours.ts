// The work of the protocol on our own packages.

import type { KubeObject } from "@virt/engine";
import { Client, findAccess, getObject, Host, type Resource, systemClock, type WatchSpec } from "@virt/kube";
import { type Seen, serve } from "./protocol.ts";

const { NAMESPACE: namespace = "default" } = process.env;
const configMaps: Resource = { group: "", version: "v1", plural: "configmaps", isNamespaced: true };
const spec: WatchSpec = { apiVersion: "v1", kind: "ConfigMap", namespace, projection: { keep: "all" } };

const client = new Client({ access: findAccess({ env: process.env }), userAgent: "bench/ours" });
const { signal } = new AbortController();
const nothing = () => undefined;

function seen({ metadata, data }: KubeObject & { readonly data?: { readonly value?: string } }): Seen {
  return { name: metadata.name, version: `${metadata.resourceVersion}`, value: data?.value ?? "" };
}

serve({
  read: async (name) => {
    const answer = await client.send(getObject(configMaps, { namespace, name }), { signal });
    if (answer.kind === "failed" || answer.status !== 200) throw new Error(`cannot read ${name}`);
  },
  follow: (told) => {
    const observer = { opened: nothing, closed: nothing, stateChanged: nothing, told: nothing, handlerFailed: nothing };
    const host = new Host({ client, clock: systemClock, random: Math.random, tenants: [], observer });
    host.want([spec]);
    const watch = host.watches.find(spec);
    if (watch === undefined) throw new Error("the watch does not run");
    watch.store.subscribe(told);
    return {
      isSynced: () => watch.store.isSynced,
      find: (name) => {
        const object = watch.store.get(`${namespace}/${name}`);
        return object && seen(object);
      },
      all: () => Array.from(watch.store.items(), seen),
    };
  },
});
