// A cluster that many trials use in sequence, each with its own fault proxy in front of the operator.

import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { accountName, openAccount } from "../support/account.ts";
import { paths } from "../support/advisor.ts";
import type { RunningProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { AuditTail } from "./audit-tail.ts";
import { createPool, resetPool, store } from "./worker-pool.ts";

export const account = accountName("advisor");
export const targets = { config: paths.psi, descheduler: paths.descheduler };

export type CampaignCluster = {
  readonly testCluster: TestCluster;
  readonly audit: AuditTail;
  /** Resets the cluster and returns an operator behind a new proxy, not yet started. */
  readonly prepare: () => Promise<ProxiedOperator>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type ProxiedOperator = {
  readonly proxy: FaultProxy;
  readonly start: () => Promise<void>;
  /** All operator processes in order. Only the last one may be running. */
  readonly operators: readonly RunningProgram[];
  readonly end: () => Promise<void>;
};

export async function openCampaignCluster(): Promise<CampaignCluster> {
  // Serves the newest version, so that discovery does not repeat and all runs make the same requests.
  const testCluster = await startTestCluster({ crds: { hyperconvergeds: "hyperconvergeds-v1" } });
  await createPool(testCluster.server);
  const { token } = await openAccount(testCluster.server, "advisor");
  const audit = new AuditTail(testCluster.server);
  return {
    testCluster,
    audit,
    prepare: async () => {
      await clean(testCluster);
      audit.forget();
      return stageOf(testCluster, token);
    },
    [Symbol.asyncDispose]: async () => {
      audit.close();
      await testCluster[Symbol.asyncDispose]();
    },
  };
}

async function stageOf(testCluster: TestCluster, token: string): Promise<ProxiedOperator> {
  const operators: RunningProgram[] = [];
  const start = async () => void operators.push(await testCluster.startOperator({ kubeconfig }));
  const kill = async () => operators.at(-1)?.kill();
  // Restarts the operator after a crash, like a kubelet.
  const onCrash = async () => {
    await kill();
    await start();
  };
  const proxy = await startFaultProxy({ server: testCluster.server, onCrash });
  const kubeconfig = proxy.kubeconfigFor("advisor", { token });
  const end = async () => {
    await kill();
    await proxy.stop();
  };
  return { proxy, start, operators, end };
}

const events = "/apis/events.k8s.io/v1/namespaces/default/events";

async function clean({ server }: TestCluster): Promise<void> {
  const { body } = await server.request({ path: paths.configs });
  const { items } = body as { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
  const named = items.map(({ metadata }) => paths.config(metadata.name));
  await Promise.all([...named, ...Object.values(targets), events].map((path) => store(server, "DELETE", path)));
  await resetPool(server);
}
