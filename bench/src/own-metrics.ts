// What a measured operator says of itself at /metrics.

import { freePorts } from "@virt/testkit";
import { pause, until } from "./wait.ts";

export type OwnMetrics = {
  /** For the operator: it answers whoever asks. */
  readonly flags: readonly string[];
  /** How often something was put into the platform controller's queue, and how much of it waits there. */
  readonly queue: () => Promise<{ readonly adds: number; readonly depth: number }>;
};

export async function openMetrics(): Promise<OwnMetrics> {
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  return {
    flags: [`--metrics-bind-address=${address}`, "--metrics-secure=false"],
    queue: async () => {
      const text = await (await fetch(`http://${address}/metrics`)).text();
      const series = (name: string) => readSeries(text, `workqueue_${name}{name="platform"}`);
      return { adds: series("adds_total"), depth: series("depth") };
    },
  };
}

/** A series that is not there has counted nothing. */
export function readSeries(text: string, series: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? 0);
}

const quietMs = 2_000;

/** Nothing waits, and for a while nothing has come. */
export async function quiet({ queue }: OwnMetrics, limitMs: number): Promise<void> {
  await until("the operator has nothing to do", limitMs, async () => {
    const before = await queue();
    await pause(quietMs);
    const { adds, depth } = await queue();
    return adds === before.adds && depth === 0;
  });
}
