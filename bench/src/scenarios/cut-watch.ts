// Breaks every connection and measures how soon the client learns about missed changes.

import type { Report } from "../../programs/protocol.ts";
import { type Child, startChild } from "../child.ts";
import { createNamespace, createObjects, objectName, serverDigest, setValue } from "../config-maps.ts";
import { startNetwork } from "../network.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { timed, until } from "../wait.ts";

const namespace = "cut";
const times = { quick: 5, usual: 20, full: 50 };

async function measure({ api, ours, size, random, say }: Rig): Promise<Measured> {
  const from = new Date();
  await using network = await startNetwork(api, ours);
  await using child = startChild("ours", { KUBECONFIG: network.kubeconfig, NAMESPACE: namespace });
  // The network's gates delay small packets, so a direct connection is measured as well.
  await using direct = startChild("ours", { KUBECONFIG: ours.kubeconfig, NAMESPACE: namespace });
  for (const one of [child, direct]) await one.ask({ do: "follow" });
  const change = async (seenBy: Child) => {
    const next = { name: objectName(0), value: `${random()}` };
    await setValue(api, namespace, next);
    await seenBy.ask({ do: "await", ...next });
  };
  const whole: number[] = [];
  const cut: number[] = [];
  for (let time = 0; time < times[size]; time++) {
    say(`cut ${time + 1} of ${times[size]}`);
    whole.push(await timed(() => change(direct)));
    network.cut();
    cut.push(await timed(() => change(child)));
  }
  const digest = await serverDigest(api, namespace);
  await until("the store equals the server", 60_000, async () => {
    return (await child.ask<Report>({ do: "report" })).digest === digest;
  });
  return {
    samples: { "write to seen": whole, "cut to right again": cut },
    requests: countByVerb(requestsIn(api.audit(), { account: ourAccount, from, until: new Date() })),
  };
}

export const cutWatch: Scenario = {
  name: "cut-watch",
  says: "all connections are reset, something changes, and the store is right again",
  isQuick: true,
  perRound: 2,
  figures: [
    { name: "write to seen", unit: "ms", floor: "change", peer: "raw-floor" },
    { name: "cut to right again", unit: "ms", goal: { is: "at most", value: 2_000, isExact: false } },
  ],
  prepare: async ({ api }) => {
    await createNamespace(api, namespace);
    await createObjects(api, namespace, 10);
  },
  measure,
};
