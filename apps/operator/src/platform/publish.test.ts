import type { ReconcileContext } from "@virt/kube";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createReportPublisher, reportDueAt } from "./publish.ts";
import type { PlatformRuntime } from "./runtime.ts";

test("the report is never more than 2 s older than a reconcile, however often objects change", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1 }), (gaps) => {
      let reportedAt = Number.NEGATIVE_INFINITY;
      let dirtyAt: number | undefined;
      let now = 0;
      const report = (until: number) => {
        if (dirtyAt === undefined) return;
        const dueAt = reportDueAt(dirtyAt, dirtyAt, reportedAt);
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

test("a report that could not be written is written by the retry", async () => {
  const cluster = { ms: 0, kind: "unavailable", applied: 0 };
  const clock = { monotonic: () => cluster.ms, wall: () => cluster.ms };
  const runtime = {
    clock,
    enqueue: () => undefined,
    settings: { activation: "always" },
    ownNamespace: "ns",
    log: { warn: () => undefined },
  } as unknown as PlatformRuntime;
  const apply = () => {
    cluster.applied += 1;
    return Promise.resolve({ kind: cluster.kind, message: "503" });
  };
  const context = { cluster: { apply } } as unknown as ReconcileContext;
  const publisher = createReportPublisher(runtime, []);
  publisher.markDirty();
  cluster.ms = 1_000;
  expect(await publisher.reconcile(undefined, context)).toEqual({ kind: "retry" });
  cluster.kind = "done";
  cluster.ms = 3_000;
  expect(await publisher.reconcile(undefined, context)).toEqual({ kind: "done" });
  expect(cluster.applied).toBe(2);
});
