// Implements the benchmark protocol with our own packages.

import { Client, findAccess, getObject, type InformerSpec, Manager, type Resource, systemClock } from "@virt/kube";
import type { KubeObject } from "@virt/objects";
import { type StoredObject, serve } from "./protocol.ts";

const { NAMESPACE: namespace = "default" } = process.env;
const configMaps: Resource = { group: "", version: "v1", plural: "configmaps", isNamespaced: true };
const spec: InformerSpec = { apiVersion: "v1", kind: "ConfigMap", namespace, projection: { keep: "all" } };

const client = new Client({ access: findAccess({ env: process.env }), userAgent: "bench/ours" });
const { signal } = new AbortController();
const nothing = () => undefined;

function seen({ metadata, data }: KubeObject & { readonly data?: { readonly value?: string } }): StoredObject {
  return { name: metadata.name, version: `${metadata.resourceVersion}`, value: data?.value ?? "" };
}

serve({
  read: async (name) => {
    const answer = await client.send(getObject(configMaps, { namespace, name }), { signal });
    if (answer.kind === "failed" || answer.status !== 200) throw new Error(`cannot read ${name}`);
  },
  follow: (onChange) => {
    const observer = {
      opened: nothing,
      closed: nothing,
      stateChanged: nothing,
      warned: nothing,
      handlerFailed: nothing,
    };
    const manager = new Manager({ client, clock: systemClock, random: Math.random, groups: [], observer });
    manager.setInformers([spec]);
    const watch = manager.informers.find(spec);
    if (watch === undefined) throw new Error("the watch does not run");
    watch.store.subscribe(onChange);
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
