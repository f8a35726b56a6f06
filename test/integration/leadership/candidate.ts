// A controller for tests, as a process: writes its name into a ConfigMap again and again, as long as it leads.

import { Client, type Controller, findAccess, Host, patchObject, systemClock, writingOf } from "@virt/kube";

const { IDENTITY = "", LEASE = "" } = process.env;

const say = (event: string) => process.stdout.write(`${event}\n`);
const nothing = () => undefined;
const configMaps = { group: "", version: "v1", plural: "configmaps", isNamespaced: true };

const controller: Controller = {
  name: "candidate",
  keysFor: () => [],
  pass: async (name, { sender, signal, mayWrite }) => {
    const request = patchObject(
      configMaps,
      { namespace: "default", name },
      { data: { by: IDENTITY } },
      { type: "merge" },
    );
    const outcome = writingOf(await sender.send(request, { signal, mayWrite }));
    return outcome.kind === "done" ? { kind: "again", atMs: systemClock.wall() + 5 } : { kind: "failed" };
  },
};

const host = new Host({
  client: new Client({ access: findAccess({ env: process.env }), userAgent: IDENTITY }),
  clock: systemClock,
  random: Math.random,
  observer: { opened: nothing, closed: nothing, stateChanged: nothing, told: nothing, handlerFailed: nothing },
  tenants: [
    {
      controller,
      lease: {
        namespace: "default",
        name: LEASE,
        identity: IDENTITY,
        times: { durationSeconds: 3, renewDeadlineMs: 2_000, retryMs: 200 },
      },
      observer: {
        added: nothing,
        retried: nothing,
        taken: nothing,
        worked: nothing,
        failing: nothing,
        recovered: nothing,
        ended: ({ how, cause }) => how === "threw" && say(`bug: ${String(cause)}`),
        heldBy: (identity) => say(`held by ${identity}`),
        leading: (isLeading) => say(isLeading ? "leads" : "does not lead"),
      },
    },
  ],
});
host.look(0, LEASE);

process.on("SIGTERM", () => {
  void host.stop(new AbortController().signal).then(() => process.exit(0));
});
