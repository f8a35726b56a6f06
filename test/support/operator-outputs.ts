import type { Json, JsonMap } from "@virt/api";
import { asList, asText, at } from "@virt/objects";
import { reportName } from "@virt/platform";
import { freePorts } from "@virt/testkit";
import type { FullCluster } from "./full-cluster.ts";
import type { RunningProgram } from "./program.ts";
import type { OperatorOptions } from "./test-cluster.ts";

export type ReportedEvent = {
  readonly name: string;
  readonly reason: string;
  readonly note: string;
  readonly action: string;
};

export type OperatorOutputs = {
  readonly start: (options?: Omit<OperatorOptions, "flags">) => Promise<RunningProgram>;
  readonly series: (...parts: readonly string[]) => Promise<readonly string[]>;
  /** Reports whether no key is queued or being reconciled. */
  readonly isIdle: () => Promise<boolean>;
  readonly events: () => Promise<readonly ReportedEvent[]>;
  readonly report: () => Promise<JsonMap>;
};

export async function openOperatorOutputs({ testCluster }: FullCluster): Promise<OperatorOutputs> {
  const [port] = await freePorts(1);
  const metrics = [`--metrics-bind-address=127.0.0.1:${port}`, "--metrics-secure=false"];
  const listed = async (path: string) => (await testCluster.server.request({ path })).body as JsonMap;
  const scrape = async () => (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).split("\n");
  return {
    start: (options = {}) => testCluster.startOperator({ ...options, flags: ["--activation=always", ...metrics] }),
    isIdle: async () => {
      const queue = (await scrape()).filter((line) =>
        /^workqueue_(depth|unfinished_work_seconds)\{name="platform"/.test(line),
      );
      return queue.length === 2 && queue.every((line) => line.endsWith(" 0"));
    },
    series: async (...parts) => {
      const lines = await scrape();
      const own = lines.filter((line) => line.startsWith("kubevirt_platform_"));
      return own.filter((line) => parts.every((part) => line.includes(part)));
    },
    events: async () => {
      const events = asList(at(await listed("/apis/events.k8s.io/v1/events"), "items"));
      return events.filter(isWrittenByOperator).map(eventOf);
    },
    report: async () => {
      const path = `/api/v1/namespaces/virt-platform-operator-system/configmaps/${reportName}`;
      return JSON.parse(asText(at(await listed(path), "data", "report.json")) ?? "{}") as JsonMap;
    },
  };
}

/** Excludes the API server's own events, such as IPAddressNotAllocated. */
function isWrittenByOperator(event: Json): boolean {
  const managers = asList(at(event, "metadata", "managedFields")).map((entry) => asText(at(entry, "manager")));
  return managers.includes("virt-operator");
}

function eventOf(event: Parameters<typeof at>[0]): ReportedEvent {
  const text = (...path: readonly string[]) => asText(at(event, ...path)) ?? "";
  return { name: text("metadata", "name"), reason: text("reason"), note: text("note"), action: text("action") };
}
