// A test controller as a process: repeatedly writes its name into a ConfigMap while it leads.

import { Client, type Controller, findAccess, Manager, patchObject, systemClock, writeResultOf } from "@virt/kube";

const { IDENTITY = "", LEASE = "" } = process.env;

const say = (event: string) => process.stdout.write(`${event}\n`);
const nothing = () => undefined;
const configMaps = { group: "", version: "v1", plural: "configmaps", isNamespaced: true };

/**
 * Each write names the version that it changes, like the product's. A write that passed the fence just before a freeze
 * can be sent after it, and the API server then refuses it.
 */
let resourceVersion: string | undefined;

const controller: Controller = {
  name: "candidate",
  keysFor: () => [],
  reconcile: async (name, { sender, signal }) => {
    const request = patchObject(
      configMaps,
      { namespace: "default", name },
      { metadata: { ...(resourceVersion !== undefined && { resourceVersion }) }, data: { by: IDENTITY } },
      { type: "merge" },
    );
    const outcome = writeResultOf(await sender.write(request, { signal }));
    if (outcome.kind !== "unavailable")
      resourceVersion = outcome.kind === "done" ? outcome.live?.metadata.resourceVersion : undefined;
    return outcome.kind === "done" ? { kind: "requeueAt", atMs: systemClock.wall() + 5 } : { kind: "retry" };
  },
};

const manager = new Manager({
  client: new Client({ access: findAccess({ env: process.env }), userAgent: IDENTITY }),
  clock: systemClock,
  random: Math.random,
  observer: { opened: nothing, closed: nothing, stateChanged: nothing, warned: nothing, handlerFailed: nothing },
  groups: [
    {
      name: controller.name,
      controllers: [controller],
      lease: {
        namespace: "default",
        name: LEASE,
        identity: IDENTITY,
        // Long enough to keep the lease on a busy machine, short enough to wait for.
        times: { durationSeconds: 8, renewDeadlineMs: 6_000, retryMs: 200 },
      },
      observer: {
        added: nothing,
        retried: nothing,
        taken: nothing,
        worked: nothing,
        failing: nothing,
        recovered: nothing,
        ended: ({ outcome, cause }) => outcome === "threw" && say(`bug: ${String(cause)}`),
        heldBy: (identity) => say(`held by ${identity}`),
        leading: (isLeading) => say(isLeading ? "leads" : "does not lead"),
      },
    },
  ],
});
manager.enqueue(controller.name, LEASE);

process.on("SIGTERM", () => {
  void manager.stop(new AbortController().signal).then(() => process.exit(0));
});
