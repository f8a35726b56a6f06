// Lists 5,000 objects and follows 20,000 changes on the real API server.

import type { Report } from "../../programs/protocol.ts";
import { startChild } from "../child.ts";
import { createNamespace, createObjects, inParallel, objectName, serverDigest, setValue } from "../config-maps.ts";
import { cpuMsOf, memoryOf } from "../process-figures.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { timed, until } from "../wait.ts";

const namespace = "watch";
const objects = 5_000;
const events = { quick: 3_000, usual: 20_000, full: 20_000 };

async function measure({ api, ours, size, random, say }: Rig): Promise<Measured> {
  const from = new Date();
  const count = events[size];
  await using child = startChild("ours", { KUBECONFIG: ours.kubeconfig, NAMESPACE: namespace });
  say("listing");
  const listMs = await timed(() => child.ask({ do: "follow" }));
  const listed = { ...memoryOf(child.pid), cpuMs: cpuMsOf(child.pid) };
  const before = await child.ask<Report>({ do: "report" });
  let done = 0;
  const report = () => child.ask<Report>({ do: "report" });
  let after = before;
  const wholeMs = await timed(async () => {
    await inParallel(count, async () => {
      const name = objectName(Math.floor(random() * objects));
      await setValue(api, namespace, { name, value: `${random()}` });
      if (++done % 500 === 0) say(`${done} of ${count} changes`);
    });
    const digest = await serverDigest(api, namespace);
    await until("the store equals the server", 60_000, async () => {
      after = await report();
      return after.digest === digest;
    });
  });
  return {
    samples: {
      "list of 5,000": [listMs],
      "RSS after the list": [listed.rssMb],
      "peak RSS": [memoryOf(child.pid).peakMb],
      "CPU of the list": [listed.cpuMs],
      "CPU for 1,000 events": [((cpuMsOf(child.pid) - listed.cpuMs) * 1000) / count],
      "events a second": [(count * 1000) / wholeMs],
      "events not delivered": [count - (after.notifications - before.notifications)],
    },
    requests: countByVerb(requestsIn(api.audit(), { account: ourAccount, from, until: new Date() })),
  };
}

export const watch5000: Scenario = {
  name: "watch-5000",
  says: "5,000 objects of 2 kB listed and followed through changes until the store equals the server (the API server sets the pace)",
  isQuick: true,
  perRound: 1,
  figures: [
    { name: "list of 5,000", unit: "ms" },
    { name: "RSS after the list", unit: "MB" },
    { name: "peak RSS", unit: "MB", goal: { is: "at most", value: 200, isExact: true } },
    { name: "CPU of the list", unit: "ms" },
    { name: "CPU for 1,000 events", unit: "ms" },
    { name: "events a second", unit: "/s" },
    { name: "events not delivered", unit: "count", goal: { is: "at most", value: 0, isExact: true } },
  ],
  prepare: async ({ api, say }) => {
    say(`creating ${objects} objects`);
    await createNamespace(api, namespace);
    await createObjects(api, namespace, objects);
  },
  measure,
};
