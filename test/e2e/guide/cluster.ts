// Changes to the guide's cluster that the guide shows in its diffs but not in its commands.

import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Server } from "@virt/testkit";
import { mockCrd } from "../../support/test-cluster.ts";

const deschedulerNamespace = "openshift-kube-descheduler-operator";

/** Section 5: the Descheduler Operator is installed. */
export function installDeschedulerOperator(server: Server): Promise<void> {
  return server.installCrds([mockCrd("kubedeschedulers-v532")]);
}

/**
 * Created between sections 6 and 8: the plan creates it in 6, but updates it in 8 and keeps AffinityAndTaints. The line
 * numbers of section 10 show that its operator added nine cipher suites.
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

/** Section 8 shows one of three workers done. The others are blocked until the test releases them. */
const laterWorkers = ["worker-1", "worker-2"].map((name) => `node/${name}`);

export function holdLaterWorkers(server: Server): Promise<void> {
  return say(server, "annotate", ...laterWorkers, "simulator.kubevirt.io/stuck-drain=");
}

export function letLaterWorkersGo(server: Server): Promise<void> {
  return say(server, "annotate", ...laterWorkers, "simulator.kubevirt.io/stuck-drain-");
}

/** Section 10 has two sources of drift. */
export function changeMigrationLimits(server: Server): Promise<void> {
  const limits = { parallelMigrationsPerCluster: 10, parallelOutboundMigrationsPerNode: 4 };
  const patch = JSON.stringify({ spec: { liveMigrationConfig: limits } });
  return say(server, "patch", "hco", "kubevirt-hyperconverged", "-n", "openshift-cnv", "--type=merge", "-p", patch);
}

export function editDescheduler(server: Server): Promise<void> {
  const spec = { deschedulingIntervalSeconds: 180, profileCustomizations: { devEnableSoftTainter: false } };
  const patch = JSON.stringify({ spec });
  return say(server, "patch", "kubedescheduler", "cluster", "-n", deschedulerNamespace, "--type=merge", "-p", patch);
}

/** Appendix: HCO's operator has filled in the empty parts. */
export function fillInHyperConverged(server: Server): Promise<void> {
  const patch = JSON.stringify({ spec: { infra: {}, workloads: {} } });
  return say(server, "patch", "hco", "kubevirt-hyperconverged", "-n", "openshift-cnv", "--type=merge", "-p", patch);
}

async function say(server: Server, ...words: readonly string[]): Promise<void> {
  const { code, stderr } = await server.kubectl(...words);
  if (code !== 0) throw new Error(`kubectl ${words.join(" ")}: ${stderr}`);
}
