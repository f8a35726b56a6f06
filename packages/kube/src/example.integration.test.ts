// A minimal program: one controller that sets a label on ConfigMaps of a real API server.

import { startServer } from "@virt/testkit";
import { expect, test } from "vitest";
import { Client, type Controller, findAccess, type InformerSpec, Manager, systemClock } from "./index.ts";

const configMaps: InformerSpec = {
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace: "shop",
  projection: { keep: "all" },
};

test("a controller watches objects and reverts changes of other clients", async () => {
  await using server = await startServer();
  const user = server.user("labeller", ["system:masters"]);
  await user.kubectl("create", "namespace", "shop");

  const controller: Controller = {
    name: "labeller",
    // Maps a change to keys of the work queue. Must be fast and synchronous.
    keysFor: (_spec, { key }) => [key],
    // Reads the cache, writes through the context, and returns the next step.
    reconcile: async (key, { cluster, wrote }) => {
      const live = manager.informers.find(configMaps)?.store.get(key);
      if (live === undefined || live.metadata.labels?.["team"] !== undefined) return { kind: "done" };
      const { apiVersion, kind, metadata } = live;
      const { name, namespace = "" } = metadata;
      const desired = { apiVersion, kind, metadata: { name, namespace, labels: { team: "none" } } };
      const outcome = await cluster.apply(desired, { manager: "labeller", force: false, expect: "anything" });
      // Delays the next reconcile of this key until the cache contains this write.
      if (outcome.kind === "done" && outcome.live !== undefined) wrote(configMaps, outcome.live);
      return outcome.kind === "done" ? { kind: "done" } : { kind: "retry" };
    },
  };
  const ignore = () => undefined;
  const manager = new Manager({
    client: new Client({ access: findAccess({ env: {}, kubeconfig: user.kubeconfig }), userAgent: "labeller" }),
    clock: systemClock,
    random: Math.random,
    // Without a lease, the controller always writes. With one, it writes only while it leads.
    groups: [
      {
        name: "labeller",
        controllers: [controller],
        observer: { ...workObserver(ignore), ...leaderObserver(ignore) },
      },
    ],
    observer: { opened: ignore, closed: ignore, stateChanged: ignore, warned: ignore, handlerFailed: ignore },
  });
  manager.setInformers([configMaps]);

  await user.kubectl("create", "configmap", "prices", "--namespace=shop");
  const team = async () => {
    const { stdout } = await user.kubectl(
      "get",
      "configmap/prices",
      "--namespace=shop",
      "-o=jsonpath={.metadata.labels.team}",
    );
    return stdout;
  };
  await expect.poll(team).toBe("none");
  await user.kubectl("label", "configmap/prices", "--namespace=shop", "team-");
  await expect.poll(team).toBe("none");
  await manager.stop(new AbortController().signal);
});

function workObserver(ignore: () => void) {
  return { added: ignore, retried: ignore, taken: ignore, worked: ignore, ended: ignore };
}

function leaderObserver(ignore: () => void) {
  return { heldBy: ignore, failing: ignore, recovered: ignore, leading: ignore };
}
