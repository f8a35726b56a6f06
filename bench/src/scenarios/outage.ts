// Cuts the connection for a while. Measures requests during the outage, and the time to recover afterwards.

import { startChild } from "../child.ts";
import { createNamespace, inParallel } from "../config-maps.ts";
import { startNetwork } from "../network.ts";
import { cpuMsOf } from "../process-figures.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause, timed, until } from "../wait.ts";

const path = "/api/v1/namespaces/outage/configmaps";
const originals = 20;
/** The circuit breaker opens after three failures in a row. Until then, each stream and reconcile sends its own requests. */
const openingSeconds = 3;
const seconds = { quick: 6, usual: 30, full: 90 };

async function measure({ api, ours, size, random, say }: Rig): Promise<Measured> {
  const from = new Date();
  await using network = await startNetwork(api, ours);
  await using child = startChild("copier", { KUBECONFIG: network.kubeconfig });
  const write = async (value: string) => inParallel(originals, (at) => writeOriginal(api, at, value));
  const first = `${random()}`;
  await write(first);
  await until("the copies are there", 60_000, () => areCopied(api, first));
  say(`no connection for ${seconds[size]} s`);
  network.set("closed");
  const down = { asked: network.asked(), cpuMs: cpuMsOf(child.pid) };
  const second = `${random()}`;
  await write(second);
  await pause(openingSeconds * 1000);
  const open = network.asked();
  const quietSeconds = seconds[size] - openingSeconds;
  await pause(quietSeconds * 1000);
  const asked = network.asked();
  const cpuMs = cpuMsOf(child.pid) - down.cpuMs;
  say("the connection is back");
  network.set("open");
  const healedMs = await timed(() => until("the copies are right", 60_000, () => areCopied(api, second)));
  return {
    samples: {
      "end of the outage to all right": [healedMs],
      "connections while it is found out": [open - down.asked],
      "connections a second after that": [(asked - open) / quietSeconds],
      // At one per second, n seconds allow at most n + 1 connections.
      "connections beyond one a second": [Math.max(0, asked - open - quietSeconds - 1)],
      "CPU a second while down": [cpuMs / seconds[size]],
    },
    requests: countByVerb(requestsIn(api.audit(), { account: ourAccount, from, until: new Date() })),
  };
}

async function writeOriginal(api: Rig["api"], at: number, value: string): Promise<void> {
  const body = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `original-${at}`, labels: { copy: "yes" } },
    data: { value },
  };
  const query = "fieldManager=witness&force=true";
  const contentType = "application/apply-patch+yaml";
  await api.request({ method: "PATCH", path: `${path}/original-${at}?${query}`, body, contentType });
}

/** Checks the copies on the API server, independently of the copier. */
async function areCopied(api: Rig["api"], value: string): Promise<boolean> {
  const { body } = await api.request({ path: `${path}?labelSelector=copy%3Ddone` });
  const { items } = body as { readonly items: readonly { readonly data: { readonly value: string } }[] };
  return items.length === originals && items.every(({ data }) => data.value === value);
}

export const outage: Scenario = {
  name: "outage",
  says: "a controller with 20 objects loses the API server, all of them change, and the server comes back",
  isQuick: true,
  perRound: 1,
  figures: [
    {
      name: "end of the outage to all right",
      unit: "ms",
      goal: { is: "at most", value: 2_000, isExact: false },
      peer: "go-autopilot-outage",
    },
    { name: "connections while it is found out", unit: "count" },
    { name: "connections a second after that", unit: "/s" },
    { name: "connections beyond one a second", unit: "count", goal: { is: "at most", value: 0, isExact: true } },
    { name: "CPU a second while down", unit: "ms" },
  ],
  prepare: ({ api }) => createNamespace(api, "outage"),
  measure,
};
