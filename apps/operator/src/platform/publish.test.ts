import fc from "fast-check";
import { expect, test } from "vitest";
import { reportDueAt } from "./publish.ts";

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
