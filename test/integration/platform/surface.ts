// What people see of the operator from outside: its events, its series and its report.

import type { JsonMap } from "@virt/api";
import { asList, asText, at } from "@virt/engine";
import { reportName } from "@virt/platform";
import { freePorts } from "@virt/testkit";
import type { RunningProgram } from "../../world/program.ts";
import type { Golden } from "./golden.ts";

export type Event = { readonly name: string; readonly reason: string; readonly note: string; readonly action: string };

export type Surface = {
  readonly start: () => Promise<RunningProgram>;
  /** Lines of the platform's own metrics that have all these parts. */
  readonly series: (...parts: readonly string[]) => Promise<readonly string[]>;
  readonly events: () => Promise<readonly Event[]>;
  readonly report: () => Promise<JsonMap>;
};

export async function openSurface({ world }: Golden): Promise<Surface> {
  const [port] = await freePorts(1);
  const metrics = [`--metrics-bind-address=127.0.0.1:${port}`, "--metrics-secure=false"];
  const listed = async (path: string) => (await world.server.request({ path })).body as JsonMap;
  return {
    start: () => world.startOperator({ flags: ["--activation=always", ...metrics] }),
    series: async (...parts) => {
      const lines = (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).split("\n");
      const own = lines.filter((line) => line.startsWith("kubevirt_autopilot_"));
      return own.filter((line) => parts.every((part) => line.includes(part)));
    },
    events: async () => asList(at(await listed("/apis/events.k8s.io/v1/events"), "items")).map(eventOf),
    report: async () => {
      const path = `/api/v1/namespaces/virt-platform-operator-system/configmaps/${reportName}`;
      return JSON.parse(asText(at(await listed(path), "data", "report.json")) ?? "{}") as JsonMap;
    },
  };
}

function eventOf(event: Parameters<typeof at>[0]): Event {
  const text = (...path: readonly string[]) => asText(at(event, ...path)) ?? "";
  return { name: text("metadata", "name"), reason: text("reason"), note: text("note"), action: text("action") };
}
