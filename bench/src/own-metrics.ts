import { freePorts } from "@virt/testkit";
import { pause, until } from "./wait.ts";

export type OwnMetrics = {
  readonly flags: readonly string[];
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

/** Returns 0 if the series is absent. */
export function readSeries(text: string, series: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? 0);
}

const quietMs = 2_000;

/** Waits until the queue is empty and no key was added for a while. */
export async function quiet({ queue }: OwnMetrics, limitMs: number): Promise<void> {
  await until("the operator has nothing to do", limitMs, async () => {
    const before = await queue();
    await pause(quietMs);
    const { adds, depth } = await queue();
    return adds === before.adds && depth === 0;
  });
}
