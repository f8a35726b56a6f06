// Measures the platform controller's memory when objects have as many labels as the API server accepts.

import type { Server } from "@virt/testkit";
import { ok } from "../advisor-cluster.ts";
import { createNamespace } from "../config-maps.ts";
import { converged, preparePlatform, startPlatform } from "../platform-cluster.ts";
import { memoryOf } from "../process-figures.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";

const counts = { quick: 40, usual: 152, full: 152 };
const namespace = "hostile";
const path = `/apis/self-node-remediation.medik8s.io/v1alpha1/namespaces/${namespace}/selfnoderemediationtemplates`;

/** 833 KiB per object. No two objects share a key. */
const labelsOf = (name: string) =>
  Object.fromEntries(
    Array.from({ length: 2_620 }, (_, at) => [
      `${at}.${name}.${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}/d`,
      `${at}${"e".repeat(58)}`,
    ]),
  );

async function plant(api: Server, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const name = `planted-${at}`;
    const template = { apiVersion: "self-node-remediation.medik8s.io/v1alpha1", kind: "SelfNodeRemediationTemplate" };
    const body = { ...template, metadata: { name, labels: labelsOf(name) }, spec: { template: { spec: {} } } };
    ok(await api.request({ method: "POST", path, body }));
  }
}

/** Starts a new process for each measurement, because the first list costs the most memory. */
async function hold(rig: Rig): Promise<{ readonly rssMb: number; readonly peakMb: number }> {
  await using operator = startPlatform(rig);
  await converged(rig.api);
  return memoryOf(operator.pid);
}

/** Makes one object drift. Otherwise, the next process would appear to have converged before its first list. */
async function openWork(api: Server): Promise<void> {
  const service = "/api/v1/namespaces/virt-platform-operator-system/services/virt-platform-operator-metrics";
  const labels = { "platform.kubevirt.io/managed-by": null };
  ok(await api.request({ method: "PATCH", path: service, body: { metadata: { labels } } }));
}

async function prepare(rig: Rig): Promise<void> {
  await preparePlatform(rig);
  await createNamespace(rig.api, namespace);
}

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  const from = new Date();
  const before = await hold(rig);
  say(`planting ${counts[size]} templates`);
  await plant(api, counts[size]);
  await openWork(api);
  const after = await hold(rig);
  await api.request({ method: "DELETE", path });
  return {
    samples: {
      "RSS among planted objects": [after.rssMb],
      "peak RSS among planted objects": [after.peakMb],
      "RSS for each planted byte": [Math.max(0, after.rssMb - before.rssMb) / (counts[size] * 0.853)],
    },
    requests: countByVerb(requestsIn(api.audit(), { account: ourAccount, from, until: new Date() })),
  };
}

export const hostileLabels: Scenario = {
  name: "hostile-labels",
  says: "the platform controller starts among 152 templates with 833 KiB of labels each, planted by a user",
  isQuick: false,
  perRound: 1,
  figures: [
    { name: "RSS among planted objects", unit: "MB" },
    {
      name: "peak RSS among planted objects",
      unit: "MB",
      goal: { is: "at most", value: 256, isExact: true },
    },
    { name: "RSS for each planted byte", unit: "×", goal: { is: "at most", value: 0.5, isExact: false } },
  ],
  prepare,
  measure,
};
