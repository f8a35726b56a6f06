import { expect, test } from "vitest";
import { readAudited } from "./audited.ts";
import { historyOf } from "./history.ts";
import { unapprovedExecutions } from "./i1-approved-executions.ts";
import { account, item, Story } from "./story.ts";

const judge = (story: Story) =>
  unapprovedExecutions(historyOf(readAudited(story.log), { accounts: [account] })).map(({ message }) => message);

const inProgress = (executedGeneration: number, planHash = "h1") =>
  ({ phase: "InProgress", executedGeneration, planHash, items: [item] }) as const;
const review = (generation: number) => ({ forced: true, generation, planHash: "h2" });
const finished = () => new Story().begun().apply().done();
/** The input moved after generation 2 was carried out; plan h2 is on display. */
const forced = () =>
  finished()
    .status({ phase: "Drafting", review: review(2) })
    .status({ phase: "ReviewRequired", planHash: "h2", review: review(2), items: [item] });

const innocent = [
  { reason: "the first execution", story: finished() },
  {
    reason: "an edit after an execution",
    story: finished().edit({ mode: "x" }).status({ phase: "Drafting" }).status(inProgress(3)),
  },
  {
    reason: "the forced plan, acknowledged by an edit",
    story: forced().edit({ action: "Apply" }).status(inProgress(3, "h2")),
  },
  {
    reason: "the automatic correction that the person asked for",
    story: finished()
      .edit({ bypassOptimisticLock: true })
      .status({ phase: "Drafting" })
      .done()
      .status({ phase: "Completed", executedGeneration: 3 })
      .status({ phase: "Drifted" })
      .status(inProgress(3)),
  },
  {
    reason: "waiting for what is in place already",
    story: finished()
      .status({ phase: "Drafting" })
      .status({ ...inProgress(2), items: [{ ...item, diff: "--- a\n+++ a\n(no changes)\n" }] }),
  },
];

test.each(innocent)("innocent: $reason", ({ story }) => {
  expect(judge(story)).toEqual([]);
});

const subject = "update virtplatformconfigs.advisor.kubevirt.io/load-aware/status: load-aware begins although ";

const guilty = [
  {
    reason: "the same request is carried out twice",
    story: finished().status({ phase: "Drafting" }).status(inProgress(2)),
    why: "generation 2 was carried out before",
  },
  {
    reason: "drift is corrected although nobody asked for it",
    story: finished().status({ phase: "Drifted" }).status(inProgress(2)),
    why: "generation 2 was carried out before",
  },
  {
    reason: "a forced review that nobody answered, after a restart that forgot what was carried out",
    story: new Story()
      .edit({ action: "Apply" })
      .status({ phase: "ReviewRequired", planHash: "h2", review: review(1), items: [item] })
      .status(inProgress(1, "h2")),
    why: "nobody has answered the review that was forced",
  },
  {
    reason: "the answer led to another plan than the one on display",
    story: forced().edit({ mode: "x" }).status({ phase: "Drafting" }).status(inProgress(3, "h3")),
    why: "the forced review showed another plan",
  },
];

test.each(guilty)("guilty: $reason", ({ story, why }) => {
  expect(judge(story)).toEqual([subject + why]);
});
