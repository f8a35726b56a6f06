import { type ReconcileContext, Registry } from "@virt/kube";
import fc from "fast-check";
import { expect, test } from "vitest";
import { platformMetrics } from "./metrics.ts";
import { createReportPublisher, reportDueAt } from "./publish.ts";
import type { PlatformRuntime } from "./runtime.ts";

test("writes the report within 2 seconds of a change", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1 }), (gaps) => {
      let reportedAt = Number.NEGATIVE_INFINITY;
      let dirtyAt: number | undefined;
      let now = 0;
      const report = (until: number) => {
        if (dirtyAt === undefined) return;
        const dueAt = reportDueAt(dirtyAt, reportedAt);
        if (dueAt > until) return;
        expect(dueAt - dirtyAt).toBeLessThanOrEqual(2_000);
        reportedAt = dueAt;
        dirtyAt = undefined;
      };
      for (const gap of gaps) {
        report(now + gap);
        now += gap;
        dirtyAt ??= now;
      }
      report(Number.POSITIVE_INFINITY);
    }),
  );
});

function startPublisher() {
  const cluster = { ms: 0, buildMs: 0, kind: "unavailable", applied: 0 };
  const settings = {
    get activation() {
      cluster.ms += cluster.buildMs; // a report reads it once, while it is built
      return this.mode;
    },
    mode: "always",
  };
  const clock = { monotonic: () => cluster.ms, wall: () => cluster.ms };
  const runtime = {
    clock,
    queues: { report: () => undefined },
    settings,
    ownNamespace: "ns",
    log: { warn: () => undefined },
    metrics: platformMetrics(new Registry()),
  } as unknown as PlatformRuntime;
  const apply = () => {
    cluster.applied += 1;
    return Promise.resolve({ kind: cluster.kind, message: "503" });
  };
  const context = { cluster: { apply } } as unknown as ReconcileContext;
  const publisher = createReportPublisher(runtime, []);
  const reconcileAt = (ms: number) => {
    cluster.ms = ms;
    return publisher.reconcile(undefined, context);
  };
  return { cluster, settings, publisher, reconcileAt };
}

test("spends at most 2 % of the time on reports of a large catalog", async () => {
  const { cluster, publisher, reconcileAt } = startPublisher();
  cluster.kind = "done";
  cluster.buildMs = 100;
  publisher.markDirty();
  await reconcileAt(1_000);
  publisher.markDirty();
  expect(await reconcileAt(3_000)).toEqual({ kind: "requeueAt", atMs: 6_000 });
});

test("retries a report that could not be written", async () => {
  const { cluster, publisher, reconcileAt } = startPublisher();
  publisher.markDirty();
  expect(await reconcileAt(1_000)).toEqual({ kind: "retry" });
  cluster.kind = "done";
  expect(await reconcileAt(3_000)).toEqual({ kind: "done" });
  expect(cluster.applied).toBe(2);
});

test.each(["rejected", "missing", "stale"])("retries a write that ends as %s after a minute", async (kind) => {
  const { cluster, publisher, reconcileAt } = startPublisher();
  publisher.markDirty();
  cluster.kind = kind;
  expect(await reconcileAt(1_000)).toEqual({ kind: "requeueAt", atMs: 61_000 });
  expect(await reconcileAt(61_000)).toEqual({ kind: "requeueAt", atMs: 121_000 });
  cluster.kind = "done";
  expect(await reconcileAt(121_000)).toEqual({ kind: "done" });
  expect(cluster.applied).toBe(3);
});

test("writes a changed report before the retry of a rejected one", async () => {
  const { cluster, settings, publisher, reconcileAt } = startPublisher();
  publisher.markDirty();
  cluster.kind = "rejected";
  await reconcileAt(1_000);
  cluster.kind = "done";
  cluster.ms = 10_000;
  settings.mode = "annotation";
  publisher.markDirty();
  expect(await reconcileAt(11_000)).toEqual({ kind: "done" });
  expect(cluster.applied).toBe(2);
});

test("sends an unchanged rejected report at most once a minute", async () => {
  const { cluster, publisher, reconcileAt } = startPublisher();
  cluster.kind = "rejected";
  for (let ms = 0; ms < 181_000; ms += 500) {
    cluster.ms = ms;
    publisher.markDirty();
    await reconcileAt(ms);
  }
  expect(cluster.applied).toBe(3);
});

test("does not repeat a reconcile after a successful retry", async () => {
  const { cluster, publisher, reconcileAt } = startPublisher();
  publisher.markDirty();
  await reconcileAt(1_000);
  cluster.kind = "done";
  publisher.markDirty();
  expect(await reconcileAt(3_000)).toEqual({ kind: "done" });
  expect(await reconcileAt(4_000)).toEqual({ kind: "done" });
});

test("does not send an unchanged report again", async () => {
  const { cluster, publisher, reconcileAt } = startPublisher();
  cluster.kind = "done";
  publisher.markDirty();
  expect(await reconcileAt(1_000)).toEqual({ kind: "done" });
  publisher.markDirty();
  expect(await reconcileAt(600_000)).toEqual({ kind: "done" });
  expect(cluster.applied).toBe(1);
});
