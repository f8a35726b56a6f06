import { expect, test } from "vitest";
import { readAudited } from "./audited.ts";
import { historyOf } from "./history.ts";
import { ignoredWrites } from "./i6-not-ignored.ts";
import { account, Story } from "./story.ts";

const judge = (story: Story) =>
  ignoredWrites(historyOf(readAudited(story.log), { accounts: [account] })).map(({ message }) => message);

const innocent = [
  { reason: "a config that is managed", story: new Story().begun().apply() },
  { reason: "Ignore that crosses with the write", story: new Story().begun().edit({ action: "Ignore" }).apply() },
  { reason: "an object of no plan is I1's affair", story: new Story().edit({ action: "Ignore" }).apply() },
  {
    reason: "managed again",
    story: new Story()
      .begun()
      .edit({ action: "Ignore" })
      .status({ phase: "Ignored" })
      .edit({ action: "Apply" })
      .apply(),
  },
];

test.each(innocent)("innocent: $reason", ({ story }) => {
  expect(judge(story)).toEqual([]);
});

const guilty = [
  { reason: "the writer has read Ignore", story: new Story().begun().edit({ action: "Ignore" }).read().apply() },
  { reason: "Ignore is long since stored", story: new Story().begun().edit({ action: "Ignore" }).pass(6_000).apply() },
  {
    reason: "the writer itself has written Ignored",
    story: new Story().begun().edit({ action: "Ignore" }).status({ phase: "Ignored" }).apply(),
  },
  {
    reason: "a deletion",
    story: new Story().begun({ operation: "Delete" }).edit({ action: "Ignore" }).read().remove({ uid: "target-uid" }),
  },
];

test.each(guilty)("guilty: $reason", ({ story }) => {
  expect(judge(story)).toEqual([expect.stringContaining("psi: load-aware is ignored")]);
});
