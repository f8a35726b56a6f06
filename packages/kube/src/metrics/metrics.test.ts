import { register } from "prom-client";
import { expect, test } from "vitest";
import { observeRequests } from "../client/api-client.ts";
import {
  createObject,
  deleteObject,
  getObject,
  getPath,
  listObjects,
  patchObject,
  watchObjects,
} from "../client/request.ts";
import type { EventInput } from "../events/event-correlator.ts";
import { lint } from "../testing/metrics-lint.ts";
import {
  breakerMetrics,
  buildInfo,
  Counter,
  describeRequest,
  eventMetrics,
  Gauge,
  Histogram,
  type InformerAge,
  informerMetrics,
  leaderMetric,
  queueMetrics,
  Registry,
  removeSeries,
  requestMetrics,
} from "./metrics.ts";
import { processMetrics } from "./process-metrics.ts";

const patience = { timeout: 120_000 };
const prefix = "kubevirt_advisor_";
const nodes = { group: "", version: "v1", plural: "nodes", isNamespaced: false };
const event: EventInput = {
  priority: "routine",
  regarding: { apiVersion: "v1", kind: "Node", name: "n" },
  type: "Normal",
  reason: "R",
  action: "A",
  note: "N",
};

async function samples(registry: Registry): Promise<readonly string[]> {
  const lines = (await registry.metrics()).split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

test("queues have the metrics of client-go's workqueue", async () => {
  const registry = new Registry();
  const states = { advisor: { depth: 3, unfinishedSeconds: 1.5, longestRunningSeconds: 1 } };
  const queue = queueMetrics(registry, () => states)("advisor");
  queue.added();
  queue.added();
  queue.retried();
  queue.taken(0.02);
  queue.worked(7);
  const exposed = await samples(registry);
  expect(exposed.filter((line) => !line.includes("_bucket"))).toEqual([
    'workqueue_depth{name="advisor"} 3',
    'workqueue_unfinished_work_seconds{name="advisor"} 1.5',
    'workqueue_longest_running_processor_seconds{name="advisor"} 1',
    'workqueue_adds_total{name="advisor"} 2',
    'workqueue_retries_total{name="advisor"} 1',
    'workqueue_queue_duration_seconds_sum{name="advisor"} 0.02',
    'workqueue_queue_duration_seconds_count{name="advisor"} 1',
    'workqueue_work_duration_seconds_sum{name="advisor"} 7',
    'workqueue_work_duration_seconds_count{name="advisor"} 1',
  ]);
  expect(exposed).toContain('workqueue_work_duration_seconds_bucket{le="10",name="advisor"} 1');
});

test("exposes the oldest age per resource, and none of ended watches", async () => {
  const registry = new Registry();
  let watches: readonly InformerAge[] = [
    { resource: "nodes", ages: { line: 2_000, list: 9_000 } },
    { resource: "nodes", ages: { line: 5_000, probe: 1_000 } },
    { resource: "pools", ages: {} },
  ];
  informerMetrics({ registry, prefix }, () => watches);
  expect(await samples(registry)).toEqual([
    'kubevirt_advisor_watch_age_seconds{resource="nodes"} 5',
    'kubevirt_advisor_watch_list_age_seconds{resource="nodes"} 9',
    'kubevirt_advisor_watch_probe_age_seconds{resource="nodes"} 1',
  ]);
  watches = [];
  expect(await samples(registry)).toEqual([]);
});

test("exposes breakers, leadership, events and the version", async () => {
  const registry = new Registry();
  const place = { registry, prefix };
  const breakers = breakerMetrics(place);
  const scope = { access: "write", resource: "nodes" } as const;
  breakers.opened(scope, "down");
  breakers.closed({ access: "read", resource: "pools" }, 5);
  const setLeader = leaderMetric(place);
  const events = eventMetrics(place);
  events.written();
  events.lost("throttled", event, "too many");
  buildInfo(place, "1.2.3");
  const first = await samples(registry);
  expect(first).toEqual([
    'kubevirt_advisor_breaker_open{access="write",resource="nodes"} 1',
    'kubevirt_advisor_breaker_open{access="read",resource="pools"} 0',
    'kubevirt_advisor_breaker_openings_total{access="write",resource="nodes"} 1',
    "kubevirt_advisor_leader 0",
    "kubevirt_advisor_events_written_total 1",
    'kubevirt_advisor_events_lost_total{reason="throttled"} 1',
    'kubevirt_advisor_build_info{version="1.2.3"} 1',
  ]);
  breakers.closed(scope, 1_000);
  setLeader(true);
  expect(await samples(registry)).toEqual(
    expect.arrayContaining([
      'kubevirt_advisor_breaker_open{access="write",resource="nodes"} 0',
      "kubevirt_advisor_leader 1",
    ]),
  );
});

test("counts requests by verb, resource and code, and sends them unchanged", async () => {
  const registry = new Registry();
  const failed = { kind: "failed", failure: { reason: "timeout", message: "late" } } as const;
  const stream = { kind: "streaming", follow: () => Promise.resolve(undefined) } as const;
  const send = () => Promise.resolve(failed);
  const client = observeRequests(
    { send, write: send, stream: () => Promise.resolve(stream) },
    requestMetrics({ registry, prefix }),
  );
  const { signal } = new AbortController();
  expect(await client.send(getObject(nodes, { name: "n" }), { signal })).toBe(failed);
  expect(await client.stream(watchObjects(nodes, {}, { timeoutSeconds: 1 }), { signal })).toBe(stream);
  expect(await client.write(createObject(nodes, {}, object), { signal })).toBe(failed);
  expect(await samples(registry)).toEqual([
    'kubevirt_advisor_requests_total{verb="get",resource="nodes",code="timeout"} 1',
    'kubevirt_advisor_requests_total{verb="watch",resource="nodes",code="200"} 1',
    'kubevirt_advisor_requests_total{verb="create",resource="nodes",code="timeout"} 1',
  ]);
});

const leases = { group: "coordination.k8s.io", version: "v1", plural: "leases", isNamespaced: true };
const object = { metadata: { name: "n" } };

test.each([
  { request: getObject(nodes, { name: "nodes-1" }), verb: "get", resource: "nodes" },
  { request: listObjects(nodes, {}, { limit: 5 }), verb: "list", resource: "nodes" },
  { request: listObjects(leases, { namespace: "leases" }), verb: "list", resource: "leases.coordination.k8s.io" },
  { request: getObject(leases, { namespace: "a", name: "b" }), verb: "get", resource: "leases.coordination.k8s.io" },
  { request: createObject(nodes, {}, object), verb: "create", resource: "nodes" },
  { request: patchObject(nodes, { name: "n" }, object, { type: "apply" }), verb: "patch", resource: "nodes" },
  { request: deleteObject(nodes, { name: "n" }, { preconditions: { uid: "u" } }), verb: "delete", resource: "nodes" },
  { request: getPath("/apis/apps/v1"), verb: "get", resource: "/apis/apps/v1" },
])("$request.method $request.path is a $verb", ({ request, verb, resource }) => {
  expect(describeRequest(request)).toEqual({ verb, resource });
});

test("removes all series of a subject, and none of others", async () => {
  const registry = new Registry();
  const settings = { help: "h", labelNames: ["name", "phase"], registers: [registry] };
  const gauge = new Gauge({ ...settings, name: "config_phase" });
  const counter = new Counter({ ...settings, name: "writes_total" });
  const histogram = new Histogram({ ...settings, name: "took_seconds", buckets: [1] });
  for (const name of ["a", "b"]) {
    for (const phase of ["Pending", "Failed"]) {
      gauge.set({ name, phase }, 1);
      counter.inc({ name, phase });
      histogram.observe({ name, phase }, 1);
    }
  }
  for (const metric of [gauge, counter, histogram]) removeSeries(metric, { name: "a" });
  removeSeries(gauge, { name: "b", phase: "Pending" });
  const left = await samples(registry);
  expect(left.filter((line) => line.includes('name="a"'))).toEqual([]);
  expect(left.filter((line) => line.startsWith("config_phase"))).toEqual(['config_phase{name="b",phase="Failed"} 1']);
  expect(left).toHaveLength(1 + 2 + 8);
});

test("the process exposes its memory, CPU, event loop and handles", async () => {
  const registry = new Registry();
  using _ = processMetrics(registry, 10);
  const value = async (name: string) => {
    const line = (await samples(registry)).find((one) => one.split(/[{ ]/)[0] === name);
    return Number(line?.split(" ").at(-1));
  };
  expect(await value("process_resident_memory_bytes")).toBeGreaterThan(1e7);
  expect(await value("nodejs_heap_size_used_bytes")).toBeGreaterThan(1e6);
  expect(await value("process_open_fds")).toBeGreaterThan(3);
  expect(await value("nodejs_active_resources")).toBeGreaterThan(0);
  expect(Math.abs((await value("process_start_time_seconds")) - Date.now() / 1000)).toBeLessThan(3_600);
  const before = await value("process_cpu_seconds_total");
  await expect.poll(() => value("process_cpu_seconds_total"), patience).toBeGreaterThan(before);
});

test("reports a blocked event loop once", async () => {
  const registry = new Registry();
  using _ = processMetrics(registry, 10);
  const longest = async () => {
    const line = (await samples(registry)).find((one) => one.startsWith("nodejs_eventloop_lag_max_seconds"));
    return Number(line?.split(" ")[1]);
  };
  const blocked = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    return new Promise((resolve) => setImmediate(resolve)).then(longest);
  };
  await expect.poll(blocked, patience).toBeGreaterThan(0.1);
  await expect.poll(longest, patience).toBeLessThan(0.1);
});

test("all metrics pass the linter and stay out of the global registry", async () => {
  const registry = new Registry();
  const place = { registry, prefix };
  using _ = processMetrics(registry, 500);
  queueMetrics(registry, () => ({}));
  informerMetrics(place, () => []);
  breakerMetrics(place);
  leaderMetric(place);
  eventMetrics(place);
  buildInfo(place, "1");
  requestMetrics(place);
  expect(lint(await registry.metrics())).toEqual([]);
  expect(register.getMetricsAsArray()).toEqual([]);
});

test.each([
  ["# HELP a_total h\n# TYPE a_total gauge", "a_total: only a counter ends in _total"],
  ["# HELP a h\n# TYPE a counter", "a: a counter ends in _total"],
  ["# TYPE a gauge", "a: no help"],
  ["# HELP a_ms h\n# TYPE a_ms gauge", "a_ms: abbreviated unit ms"],
  ["# HELP a_minutes h\n# TYPE a_minutes gauge", "a_minutes: not a base unit: minutes"],
  ["# HELP a_gauge h\n# TYPE a_gauge gauge", "a_gauge: its type is in its name"],
  ["# HELP aB h\n# TYPE aB gauge", "aB: not snake case"],
  ["# HELP a_count h\n# TYPE a_count gauge", "a_count: a histogram's suffix"],
])("the linter reports %j", (text, problem) => {
  expect(lint(text)).toEqual([problem]);
});
