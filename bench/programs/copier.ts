// A controller that copies each ConfigMap labelled copy=yes, for scenarios that break the network.

import {
  Client,
  type Controller,
  type ControllerGroup,
  findAccess,
  type InformerSpec,
  Manager,
  systemClock,
} from "@virt/kube";
import type { KubeObject } from "@virt/objects";

const watch = (labelSelector: string): InformerSpec => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  labelSelector,
  projection: { keep: "all" },
});
const originals = watch("copy=yes");
const copies = watch("copy=done");

function copyOf(original: KubeObject): KubeObject {
  const { name, namespace = "" } = original.metadata;
  const metadata = { name: `${name}-copy`, namespace, labels: { copy: "done" } };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: original["data"] ?? {} };
}

const copier: Controller = {
  name: "copier",
  keysFor: ({ labelSelector }, { key }) => (labelSelector === undefined ? [] : [key.replace(/-copy$/, "")]),
  reconcile: async (key, { cluster }) => {
    const original = manager.informers.find(originals)?.store.get(key);
    const copy = manager.informers.find(copies)?.store.get(`${key}-copy`);
    if (original === undefined || JSON.stringify(copy?.["data"]) === JSON.stringify(original["data"]))
      return { kind: "done" };
    const outcome = await cluster.apply(copyOf(original), { manager: "copier", force: true, expect: "anything" });
    return outcome.kind === "unavailable" ? { kind: "retry" } : { kind: "done" };
  },
};

const nothing = () => undefined;
const group: ControllerGroup = {
  name: "copier",
  controllers: [copier],
  observer: {
    added: nothing,
    retried: nothing,
    taken: nothing,
    worked: nothing,
    ended: nothing,
    heldBy: nothing,
    failing: nothing,
    recovered: nothing,
    leading: nothing,
  },
};

const manager = new Manager({
  client: new Client({ access: findAccess({ env: process.env }), userAgent: "bench/copier" }),
  clock: systemClock,
  random: Math.random,
  groups: [group],
  observer: { opened: nothing, closed: nothing, stateChanged: nothing, warned: nothing, handlerFailed: nothing },
});
manager.setInformers([originals, copies]);
process.stdin.resume().on("end", () => process.exit(0)); // exits with the parent process
