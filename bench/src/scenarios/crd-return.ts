// Deletes and re-creates the CRD of a managed kind. Measures the time until its object is applied and reconciled again.

import type { KubeObject } from "@virt/api";
import type { Crd, Server } from "@virt/testkit";
import { ok } from "../advisor-cluster.ts";
import { checkPath, converged, preparePlatform, startPlatform } from "../platform-cluster.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { timed, until } from "../wait.ts";

const cycles = { quick: 5, usual: 20, full: 100 };
const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodehealthchecks.remediation.medik8s.io";
const file = "config/crd/mocks/nodehealthchecks.yaml";
const limitMs = 60_000;

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  await using operator = startPlatform(rig);
  await converged(api);
  const from = new Date();
  const returns: number[] = [];
  const corrections: number[] = [];
  for (let at = 0; at < cycles[size]; at++) {
    say(`cycle ${at + 1} of ${cycles[size]}`);
    await api.removeCrd((await api.request({ path: definition })).body as Crd);
    await api.installCrds([file]);
    returns.push(await timed(() => reaches(api, "51%")));
    ok(await api.request({ method: "PATCH", path: checkPath, body: { spec: { minHealthy: "20%" } } }));
    corrections.push(await timed(() => reaches(api, "51%")));
  }
  return {
    samples: {
      "served to managed again": returns,
      "a drift after that to corrected": corrections,
      "exits of the operator": [operator.process.exitCode === null ? 0 : 1],
    },
    requests: countByVerb(requestsIn(api.audit(), { account: ourAccount, from, until: new Date() })),
  };
}

function reaches(api: Server, minHealthy: string): Promise<void> {
  return until(`the check has minHealthy ${minHealthy}`, limitMs, async () => {
    const { status, body } = await api.request({ path: checkPath });
    const { spec } = body as KubeObject & { readonly spec?: { readonly minHealthy?: string } };
    return status === 200 && spec?.minHealthy === minHealthy;
  });
}

export const crdReturn: Scenario = {
  name: "crd-return",
  says: "the CRD of a managed kind is deleted and created again, 20 times in a row (5 in a quick run)",
  isQuick: false,
  perRound: 1,
  figures: [
    {
      name: "served to managed again",
      unit: "ms",
      goal: { is: "at most", value: 1_000, isExact: false },
      peer: "go-autopilot-crd",
    },
    { name: "a drift after that to corrected", unit: "ms" },
    { name: "exits of the operator", unit: "count", goal: { is: "at most", value: 0, isExact: true } },
  ],
  prepare: preparePlatform,
  measure,
};
