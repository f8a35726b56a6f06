// The platform operator on a full cluster, shared by the tests of a file.

import { type Json, type JsonMap, managedByLabel } from "@virt/api";
import { at } from "@virt/objects";
import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect } from "vitest";
import { operatorAccount } from "./account.ts";
import { type FullCluster, startFullCluster, untilConverged } from "./full-cluster.ts";
import { type OperatorOutputs, openOperatorOutputs } from "./operator-outputs.ts";
import type { RunningProgram } from "./program.ts";
import { prepareSkippedTime, type SkippedTime } from "./skipped-time.ts";

const machineConfiguration = "/apis/machineconfiguration.openshift.io/v1";
const ownConfigMaps = "/api/v1/namespaces/virt-platform-operator-system/configmaps";

/** Objects of the catalog, and the operator's own records. */
export const objectPaths = {
  check: "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check",
  kubelet: `${machineConfiguration}/kubeletconfigs/virt-perf-settings`,
  swap: `${machineConfiguration}/machineconfigs/50-virt-swap-enable`,
  descheduler: "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster",
  metallb: "/apis/metallb.io/v1beta1/namespaces/metallb-system/metallbs/metallb",
  plugin: "/apis/observability.openshift.io/v1alpha1/uiplugins/monitoring",
  report: `${ownConfigMaps}/virt-platform-operator-report`,
  governance: `${ownConfigMaps}/virt-platform-operator-governance`,
} as const;

export type RunningPlatform = FullCluster & {
  readonly outputs: OperatorOutputs;
  /** The operator that was started last. */
  readonly operator: RunningProgram;
  /** Between the operator and the API server, if `isProxied`. */
  readonly proxy: FaultProxy;
  /** The operator's clock, if `skipsTime`. */
  readonly time: SkippedTime;
  readonly restart: () => Promise<void>;
  /** Edits as a user. Keys without a slash get the operator's prefix. */
  readonly annotate: (path: string, annotations: Readonly<Record<string, string | null>>) => Promise<void>;
  readonly specOf: (path: string, ...names: readonly string[]) => Promise<Json | undefined>;
  /** Returns the operator's log messages with this reason and text. */
  readonly reports: (reason: string, text?: string) => readonly string[];
  /** Changes the operator's label, and waits until it is corrected. The operator has then handled all earlier edits. */
  readonly untilCorrected: (path: string) => Promise<void>;
};

export type PlatformOptions = {
  readonly isProxied?: boolean;
  readonly skipsTime?: boolean;
  readonly lacksRights?: boolean;
  /** Runs before the operator starts. */
  readonly prepare?: (platform: RunningPlatform) => Promise<unknown>;
  /** The state to reach before the first test. Default: every object of the catalog is managed. */
  readonly until?: "prepared" | "started" | "converged";
};

/** Starts the platform controller before the first test. Use the members of the result only in tests and hooks. */
export function sharePlatform(options: PlatformOptions = {}): RunningPlatform {
  const platform = {} as { -readonly [name in keyof RunningPlatform]: RunningPlatform[name] };
  const { prepare = () => Promise.resolve(), until = "converged" } = options;
  beforeAll(async () => {
    await open(platform, options);
    await prepare(platform);
    if (until !== "prepared") await platform.start();
    if (until === "converged") await untilConverged(platform);
  });
  afterAll(() => platform[Symbol.asyncDispose]());
  return platform;
}

type Opening = { -readonly [name in keyof RunningPlatform]: RunningPlatform[name] };

async function open(platform: Opening, { isProxied, skipsTime, lacksRights = false }: PlatformOptions): Promise<void> {
  const cluster = await startFullCluster({ lacksRights });
  const { read, edit, until, testCluster } = cluster;
  const { server } = testCluster;
  const outputs = await openOperatorOutputs(cluster);
  const proxy = isProxied ? await startFaultProxy({ server }) : undefined;
  const kubeconfig = proxy?.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  const time = skipsTime ? await prepareSkippedTime(server.folder) : undefined;
  let edits = 0;
  Object.assign(platform, cluster, {
    outputs,
    ...(proxy && { proxy }),
    ...(time && { time }),
    start: async () => {
      platform.operator = await outputs.start({
        ...(kubeconfig !== undefined && { kubeconfig }),
        ...(time && { nodeFlags: time.nodeFlags }),
      });
      return platform.operator;
    },
    restart: async () => {
      await platform.operator.kill();
      await platform.start();
    },
    annotate: (path: string, annotations: JsonMap) => {
      const named = Object.entries(annotations).map(([key, value]) => [keyOf(key), value] as const);
      return edit(path, { metadata: { annotations: Object.fromEntries(named) } }, "person");
    },
    specOf: async (path: string, ...names: readonly string[]) => at(await read(path), "spec", ...names),
    reports: (reason: string, text = "") =>
      platform.operator.log.flatMap(({ reason: own, msg = "" }) => (own === reason && msg.includes(text) ? [msg] : [])),
    untilCorrected: async (path: string) => {
      // Uses a new field manager each time, to avoid an edit war.
      await edit(path, { metadata: { labels: { [managedByLabel.key]: "nobody" } } }, `editor-${edits++}`);
      const label = async () => (await read(path)).metadata.labels?.[managedByLabel.key];
      await until(async () => expect(await label()).toBe(managedByLabel.value));
    },
    [Symbol.asyncDispose]: async () => {
      await testCluster[Symbol.asyncDispose]();
      await proxy?.stop();
    },
  } satisfies Partial<Opening>);
}

function keyOf(key: string): string {
  return key.includes("/") ? key : `platform.kubevirt.io/${key}`;
}
