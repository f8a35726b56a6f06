// Silences a watch stream without closing it, as when a machine fails. Measures the time until the client detects this.

import { startChild } from "../child.ts";
import { createNamespace, createObjects, objectName, setValue } from "../config-maps.ts";
import { startNetwork } from "../network.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { timed } from "../wait.ts";

const namespace = "silent";

async function measure({ api, ours, random, say }: Rig): Promise<Measured> {
  const from = new Date();
  await using network = await startNetwork(api, ours);
  await using child = startChild("ours", { KUBECONFIG: network.kubeconfig, NAMESPACE: namespace });
  await child.ask({ do: "follow" });
  say("the stream is silent");
  await network.freeze();
  const next = { name: objectName(0), value: `${random()}` };
  await setValue(api, namespace, next);
  const noticedMs = await timed(() => child.ask({ do: "await", ...next }));
  return {
    samples: { "silent to right again": [noticedMs / 1000] },
    requests: countByVerb(requestsIn(api.audit(), { account: ourAccount, from, until: new Date() })),
  };
}

export const silentWatch: Scenario = {
  name: "silent-watch",
  says: "the connections stay open and carry nothing any more, and something changes",
  isQuick: false,
  perRound: 1,
  figures: [
    {
      name: "silent to right again",
      unit: "s",
      goal: { is: "at most", value: 40, isExact: false },
      peer: "go-silence",
    },
  ],
  prepare: async ({ api }) => {
    await createNamespace(api, namespace);
    await createObjects(api, namespace, 10);
  },
  measure,
};
