// What happened on the guide's cluster besides the commands that it prints, as its diffs show.

import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Server } from "@virt/testkit";
import { mockCrd } from "../../cluster/test-cluster.ts";

const deschedulerNamespace = "openshift-kube-descheduler-operator";

/** Section 5: the Descheduler Operator is installed. */
export function installDeschedulerOperator(server: Server): Promise<void> {
  return server.installCrds([mockCrd("kubedeschedulers-v532")]);
}

/**
 * Between 6 and 8: in 6 the plan creates the KubeDescheduler, in 8 it kept AffinityAndTaints and its impact is that of an
 * update. So somebody made it meanwhile. The line numbers of 10 show that its operator wrote nine cipher suites into it.
 */
const descheduler = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  metadata: { name: "cluster", namespace: deschedulerNamespace },
  spec: {
    managementState: "Managed",
    mode: "Predictive",
    deschedulingIntervalSeconds: 3600,
    profiles: ["AffinityAndTaints"],
    observedConfig: {
      servingInfo: {
        cipherSuites: Array.from({ length: 9 }, (_, index) => `cipher-suite-${index}`),
        minTLSVersion: "VersionTLS12",
      },
    },
  },
};

export async function makeDescheduler(server: Server): Promise<void> {
  const file = join(await mkdtemp(join(server.folder, "descheduler-")), "cluster.json");
  await writeFile(file, JSON.stringify(descheduler));
  await say(server, "create", "-f", file);
}

/** Section 8 shows one moment: one worker of three is done. The others are held until somebody lets them go. */
const laterWorkers = ["worker-1", "worker-2"].map((name) => `node/${name}`);

export function holdLaterWorkers(server: Server): Promise<void> {
  return say(server, "annotate", ...laterWorkers, "simulator.kubevirt.io/stuck-drain=");
}

export function letLaterWorkersGo(server: Server): Promise<void> {
  return say(server, "annotate", ...laterWorkers, "simulator.kubevirt.io/stuck-drain-");
}

/** Section 10, the first of its two sources of drift. */
export function changeMigrationLimits(server: Server): Promise<void> {
  const limits = { parallelMigrationsPerCluster: 10, parallelOutboundMigrationsPerNode: 4 };
  const patch = JSON.stringify({ spec: { liveMigrationConfig: limits } });
  return say(server, "patch", "hco", "kubevirt-hyperconverged", "-n", "openshift-cnv", "--type=merge", "-p", patch);
}

/** Section 10, the second. */
export function editDescheduler(server: Server): Promise<void> {
  const spec = { deschedulingIntervalSeconds: 180, profileCustomizations: { devEnableSoftTainter: false } };
  const patch = JSON.stringify({ spec });
  return say(server, "patch", "kubedescheduler", "cluster", "-n", deschedulerNamespace, "--type=merge", "-p", patch);
}

/** The appendix: HCO's own operator has filled in its empty parts by then. */
export function fillInHyperConverged(server: Server): Promise<void> {
  const patch = JSON.stringify({ spec: { infra: {}, workloads: {} } });
  return say(server, "patch", "hco", "kubevirt-hyperconverged", "-n", "openshift-cnv", "--type=merge", "-p", patch);
}

async function say(server: Server, ...words: readonly string[]): Promise<void> {
  const { code, stderr } = await server.kubectl(...words);
  if (code !== 0) throw new Error(`kubectl ${words.join(" ")}: ${stderr}`);
}
