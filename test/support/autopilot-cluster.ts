// A simulated cluster with virt-platform-autopilot, and the platform controller next to it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Json, type JsonMap, type KubeObject, managedByLabel } from "@virt/api";
import { asList, asText, at } from "@virt/objects";
import { reportName } from "@virt/platform";
import type { AuditEvent } from "@virt/testkit";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { accountName, applyManifests } from "./account.ts";
import { hcoPath, optionalCrds } from "./platform-cluster.ts";
import type { RunningProgram } from "./program.ts";
import { objectPaths } from "./running-platform.ts";
import { prepareSkippedTime, type SkippedTime } from "./skipped-time.ts";
import { startTestCluster, type TestCluster } from "./test-cluster.ts";

const cnv = "openshift-cnv";
export const autopilotDeployment = `/apis/apps/v1/namespaces/${cnv}/deployments/virt-platform-autopilot`;
export const ownConfigMaps = "/api/v1/namespaces/virt-platform-operator-system/configmaps";

const scenario = {
  nodes: [{ name: "worker", count: 2, roles: ["worker"], cpus: 4, memoryGiB: 16 }],
  pools: [{ name: "worker" }],
  vms: [],
  hco: { namespace: cnv },
  descheduler: { namespace: "openshift-kube-descheduler-operator" },
};

export type ShownEvent = { readonly reason: string; readonly note: string };

export type AutopilotCluster = TestCluster & {
  /** The controller that was started last. */
  readonly operator: RunningProgram;
  readonly time: SkippedTime;
  readonly start: (...flags: readonly string[]) => Promise<void>;
  readonly read: (path: string) => Promise<KubeObject>;
  readonly edit: (path: string, body: JsonMap, as?: string) => Promise<void>;
  /** Sets annotations on an object, by default the HyperConverged. Adds the prefix to the keys. */
  readonly annotate: (annotations: Readonly<Record<string, string | null>>, path?: string) => Promise<void>;
  readonly until: (check: () => Promise<void>) => Promise<void>;
  readonly events: (reason: string) => Promise<readonly ShownEvent[]>;
  readonly report: () => Promise<JsonMap>;
  /** Waits until the report shows this activation and state of the autopilot. */
  readonly untilReported: (isActive: boolean, autopilot: string) => Promise<void>;
  /** Waits until the report names this manager of an object such as `UIPlugin monitoring`. */
  readonly untilManaged: (object: string, manager: string) => Promise<void>;
  /** Changes the NodeHealthCheck, and waits until it is corrected. The controller has then handled earlier changes. */
  readonly untilCorrected: () => Promise<void>;
  /**
   * The controller's writes to the cluster: no dry runs, leases, events, reviews or report, and no corrections of the
   * NodeHealthCheck.
   */
  readonly writes: (since?: string) => readonly AuditEvent[];
};

/** The result has its members before the first test runs. The controller is not started. */
export function shareAutopilotCluster(options: { readonly hasAutopilot: boolean }): AutopilotCluster {
  const cluster = {} as { -readonly [name in keyof AutopilotCluster]: AutopilotCluster[name] };
  beforeAll(async () => {
    Object.assign(cluster, await startTestCluster({ controller: "platform", crds: crdsByName }));
    const { server } = cluster;
    const places = ["openshift-mtv", "metallb-system"].map((name) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`); // biome-ignore format: one line
    await applyManifests(server, places.join("---\n"));
    const file = join(server.folder, "autopilot.json");
    writeFileSync(file, JSON.stringify({ ...scenario, autopilot: options.hasAutopilot }));
    const time = await prepareSkippedTime(server.folder);
    Object.assign(cluster, { ...toolsOf(cluster), time });
    await cluster.simulate(file);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  return cluster;
}

const crdsByName = Object.fromEntries(optionalCrds.map((name) => [name, name]));

type Opened = { -readonly [name in keyof AutopilotCluster]: AutopilotCluster[name] };

const { check } = objectPaths;

function toolsOf(cluster: Opened): Partial<AutopilotCluster> {
  let edits = 0;
  const { server } = cluster;
  const read = async (path: string) => (await server.request({ path })).body as KubeObject;
  const edit = async (path: string, body: JsonMap, as = "person") => {
    const answer = await server.request({ method: "PATCH", path: `${path}?fieldManager=${as}`, body });
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  };
  const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 50 });
  const report = async () => {
    const configMap = await read(`${ownConfigMaps}/${reportName}`);
    return JSON.parse(asText(at(configMap, "data", "report.json")) ?? "{}") as JsonMap;
  };
  const writes = (since = "") =>
    server.audit().filter((event) => isWrite(event) && event.requestReceivedTimestamp > since);
  return {
    start: async (...flags) => {
      const { nodeFlags } = cluster.time;
      cluster.operator = await cluster.startOperator({ flags: ["--activation=opt-in", ...flags], nodeFlags });
    },
    read,
    edit,
    annotate: (annotations, path = hcoPath) => {
      const named = Object.entries(annotations).map(([key, value]) => [`platform.kubevirt.io/${key}`, value] as const);
      return edit(path, { metadata: { annotations: Object.fromEntries(named) } });
    },
    until,
    events: async (reason) => {
      const { items } = (await read("/apis/events.k8s.io/v1/events")) as unknown as { items: readonly ShownEvent[] };
      return items.filter((event) => event.reason === reason);
    },
    report,
    untilReported: (isActive, autopilot) =>
      until(async () => {
        const shown = await report();
        expect([at(shown, "activation", "isActive"), at(shown, "autopilot", "state")]).toEqual([isActive, autopilot]);
      }),
    untilManaged: (object, manager) =>
      until(async () => expect(at(rowIn(await report(), object), "managedBy")).toBe(manager)),
    untilCorrected: async () => {
      // A fresh manager each time, so that no edit war begins.
      await edit(check, { metadata: { labels: { [managedByLabel.key]: "nobody" } } }, `editor-${edits++}`);
      await until(async () =>
        expect((await read(check)).metadata.labels?.[managedByLabel.key]).toBe(managedByLabel.value),
      );
    },
    writes,
  };
}

/** Includes writes by the holder of released fields. */
function isWrite({ user, verb, requestURI, stage }: AuditEvent): boolean {
  const isOurs = user.username === accountName("platform") && stage === "ResponseComplete";
  const isRead = ["get", "list", "watch"].includes(verb) || requestURI.includes("dryRun=All");
  const isReport = /\/(?:events|leases|\w+reviews|configmaps\/virt-platform-operator-report)/.test(requestURI);
  return isOurs && !isRead && !isReport && !requestURI.startsWith(`${check}?`);
}

/** Returns the report's row of an object, such as `UIPlugin monitoring`. */
export function rowIn(report: JsonMap, object: string): Json | undefined {
  return asList(at(report, "objects")).find((row) => at(row, "object") === object);
}
