// Measures the advisor with a completed plan during a storm of irrelevant events, then during a quiet minute.

import { edit, loadAware, ok, phase, prepareAdvisor, rollOut, startAdvisor, startOver } from "../advisor-cluster.ts";
import { cpuMsOf } from "../process-figures.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause, timed, until } from "../wait.ts";

const quietMs = { quick: 10_000, usual: 30_000, full: 60_000 };
/** How long the operator retries discovery of missing kinds after a CRD appears. */
const discoveryRetryMs = 15_000;
const eventsASecond = 200;
const stormSeconds = 3;
const pool = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker";

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  await using operator = await startAdvisor(rig);
  await startOver(api);
  await edit(api, loadAware, { action: "Apply" });
  await rollOut(api);
  await phase(api, loadAware, "Completed");
  say("letting it settle");
  await pause(discoveryRetryMs);
  say("changing what it watches and does not care about");
  const before = cpuMsOf(operator.pid);
  const stormFrom = new Date();
  await storm(rig);
  const storming = { account: ourAccount, from: stormFrom, until: new Date() };
  const lagMs = await timed(() => isStillQuick(rig));
  const stormCpuMs = cpuMsOf(operator.pid) - before;
  say(`leaving it alone for ${quietMs[size] / 1000} s`);
  const quietFrom = new Date();
  await pause(quietMs[size]);
  const quiet = { account: ourAccount, from: quietFrom, until: new Date() };
  const audit = api.audit();
  const work = (window: typeof quiet) => requestsIn(audit, window).filter((event) => !isUpkeep(event));
  return {
    samples: {
      "requests in the quiet time": [work(quiet).length],
      "requests for what does not matter": [work(storming).length],
      "CPU for each event": [stormCpuMs / (eventsASecond * stormSeconds)],
      "edit seen behind the storm": [lagMs],
    },
    requests: countByVerb(requestsIn(audit, { ...storming, until: new Date() })),
  };
}

/** Changes a watched pool many times. Each change enqueues the config. */
async function storm({ api }: Rig): Promise<void> {
  for (let second = 0; second < stormSeconds; second++) {
    const begun = performance.now();
    const writes = Array.from({ length: eventsASecond }, (_, at) =>
      api.request({ method: "PATCH", path: pool, body: { metadata: { annotations: { tick: `${second}-${at}` } } } }),
    );
    for (const answer of await Promise.all(writes)) ok(answer);
    await pause(Math.max(0, 1_000 - (performance.now() - begun)));
  }
}

/** Measures how soon an edit takes effect after the storm. A long queue would delay it. */
async function isStillQuick({ api, random }: Rig): Promise<void> {
  await edit(api, "virt-higher-density", { waitTimeout: `${1 + Math.floor(random() * 86_400)}s` });
  const path = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/virt-higher-density";
  await until("the edit was seen", 30_000, async () => {
    const { body } = await api.request({ path });
    const { metadata, status } = body as {
      readonly metadata: { readonly generation: number };
      readonly status?: { readonly observedGeneration?: number };
    };
    return status?.observedGeneration === metadata.generation;
  });
}

export const advisorQuiet: Scenario = {
  name: "advisor-quiet",
  says: "600 events of a watched pool in three seconds that change nothing of ours, then silence",
  isQuick: false,
  perRound: 1,
  figures: [
    { name: "requests in the quiet time", unit: "count", goal: { is: "at most", value: 0, isExact: true } },
    { name: "requests for what does not matter", unit: "count", goal: { is: "at most", value: 0, isExact: true } },
    { name: "CPU for each event", unit: "ms" },
    { name: "edit seen behind the storm", unit: "ms" },
  ],
  prepare: prepareAdvisor,
  measure,
};
