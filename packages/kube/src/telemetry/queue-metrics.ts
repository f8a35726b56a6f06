// The metrics of work queues, under the names that client-go gave them.

import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { QueueObserver, QueueState } from "../loop/queue.ts";

const durationBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

/** `states` says how the queues stand, by name, when somebody asks. */
export function queueMetrics(
  registry: Registry,
  states: () => Readonly<Record<string, QueueState>>,
): (name: string) => QueueObserver {
  const registers = [registry];
  const labelNames = ["name"] as const;
  const gauge = (suffix: string, help: string, valueOf: (state: QueueState) => number) =>
    new Gauge({
      name: `workqueue_${suffix}`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [name, state] of Object.entries(states())) this.set({ name }, valueOf(state));
      },
    });
  gauge("depth", "Keys that wait in the queue.", ({ depth }) => depth);
  gauge("unfinished_work_seconds", "Time spent so far on all keys in work.", (state) => state.unfinishedSeconds);
  gauge(
    "longest_running_processor_seconds",
    "Time spent so far on the key that is in work longest.",
    (state) => state.longestRunningSeconds,
  );
  const adds = new Counter({ name: "workqueue_adds_total", help: "Keys that were added.", labelNames, registers });
  const retries = new Counter({
    name: "workqueue_retries_total",
    help: "Keys that were added again because their pass failed.",
    labelNames,
    registers,
  });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames, registers, buckets: durationBuckets });
  const waits = histogram("workqueue_queue_duration_seconds", "How long keys waited before a pass began.");
  const works = histogram("workqueue_work_duration_seconds", "How long passes took.");
  return (name) => ({
    added: () => adds.inc({ name }),
    retried: () => retries.inc({ name }),
    taken: (seconds) => waits.observe({ name }, seconds),
    worked: (seconds) => works.observe({ name }, seconds),
  });
}
