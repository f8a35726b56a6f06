// A simulated cluster with the advisor and the platform controller in opt-in mode, shared by the tests of a file.

import type { KubeObject } from "@virt/api";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { operatorAccount } from "./account.ts";
import { hcoPath } from "./platform-cluster.ts";
import { type RunningProgram, startProgram } from "./program.ts";
import { startTestCluster, type TestCluster, type TestClusterOptions } from "./test-cluster.ts";

type ReportedEvent = { readonly reason: string; readonly note: string };

export type BothOperators = TestCluster & {
  /** The platform controller that was started last. */
  readonly platform: RunningProgram;
  readonly startPlatform: () => void;
  readonly read: (path: string) => Promise<KubeObject>;
  readonly statusOf: (path: string) => Promise<number>;
  /** Sets annotations on the HyperConverged. Adds the operator's prefix to the keys. */
  readonly annotate: (annotations: Readonly<Record<string, string | null>>) => Promise<void>;
  readonly events: (reason: string) => Promise<readonly ReportedEvent[]>;
  readonly until: (check: () => Promise<void>) => Promise<void>;
};

/** Starts both operators before the first test. Use the members of the result only in tests. */
export function shareBothOperators(speed?: number, options: TestClusterOptions = {}): BothOperators {
  const both = {} as { -readonly [name in keyof BothOperators]: BothOperators[name] };
  beforeAll(async () => {
    const testCluster = await startTestCluster(options);
    const { server } = testCluster;
    await testCluster.simulate("no-vms", speed);
    await testCluster.startOperator();
    const { kubeconfig } = await operatorAccount(server, "platform");
    const flags = ["--controllers=platform", "--activation=opt-in", "--health-probe-bind-address=0"];
    const read = async (path: string) => (await server.request({ path })).body as KubeObject;
    Object.assign(both, testCluster, {
      startPlatform: () => {
        both.platform = startProgram("virt-operator", [...flags, `--kubeconfig=${kubeconfig}`]);
      },
      read,
      statusOf: async (path: string) => (await server.request({ path })).status,
      annotate: async (annotations: Readonly<Record<string, string | null>>) => {
        const named = Object.entries(annotations).map(
          ([key, value]) => [`platform.kubevirt.io/${key}`, value] as const,
        );
        const body = { metadata: { annotations: Object.fromEntries(named) } };
        expect((await server.request({ method: "PATCH", path: hcoPath, body })).status).toBe(200);
      },
      events: async (reason: string) => {
        const { items } = (await read("/apis/events.k8s.io/v1/events")) as unknown as { items: ReportedEvent[] };
        return items.filter((event) => event.reason === reason);
      },
      until: (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 50 }),
    } satisfies Partial<BothOperators>);
    both.startPlatform();
  });
  afterAll(async () => {
    await both.platform.kill();
    await both[Symbol.asyncDispose]();
  });
  return both;
}
