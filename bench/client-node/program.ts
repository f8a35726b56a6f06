// Implements the protocol on @kubernetes/client-node, as its documentation and examples recommend.

import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node";
import { type StoredObject, serve } from "../programs/protocol.ts";

const { NAMESPACE: namespace = "default" } = process.env;
const config = new KubeConfig();
config.loadFromDefault();
const api = config.makeApiClient(CoreV1Api);

/** The delay before a restart of an informer, as in the library's examples. */
const restartMs = 5_000;

function seen({ metadata, data }: V1ConfigMap): StoredObject {
  return { name: metadata?.name ?? "", version: metadata?.resourceVersion ?? "", value: data?.["value"] ?? "" };
}

serve({
  read: async (name) => void (await api.readNamespacedConfigMap({ name, namespace })),
  follow: (onChange) => {
    let isSynced = false;
    const list = () => api.listNamespacedConfigMap({ namespace });
    const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, list);
    informer.on("change", onChange);
    informer.on("error", () => void setTimeout(() => void start(), restartMs));
    const start = async () => {
      await informer.start();
      isSynced = true;
    };
    void start();
    return {
      isSynced: () => isSynced,
      find: (name) => {
        const object = informer.get(name, namespace);
        return object && seen(object);
      },
      all: () => informer.list(namespace).map(seen),
    };
  },
});
