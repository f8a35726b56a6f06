import { expect, test } from "vitest";
import { readAudited } from "./audited.ts";
import { historyOf } from "./history.ts";
import { writesWithoutLease } from "./i5-lease-holder.ts";
import { account, Story } from "./story.ts";

const judge = (story: Story) =>
  writesWithoutLease(historyOf(readAudited(story.log), { accounts: [account] })).map(({ message }) => message);

const by = (identity: string) => ({ userAgent: `virt-operator/v0.1.0 (advisor,platform; ${identity})` });

const innocent = [
  { reason: "the holder writes", story: new Story().lease("one").apply() },
  { reason: "the holder writes until the last moment", story: new Story().lease("one").pass(15_000).apply() },
  { reason: "a renewal counts again", story: new Story().lease("one").pass(14_000).lease("one").pass(14_000).apply() },
  { reason: "who took the lease over writes", story: new Story().lease("one").lease("two").apply(by("two")) },
  { reason: "nobody elects anybody", story: new Story().apply() },
  {
    reason: "somebody else's writes are not ours to judge",
    story: new Story().lease("one").apply({ user: { username: "ann" } }),
  },
  { reason: "reads and dry runs", story: new Story().lease("two").read().apply({ query: "?dryRun=All" }) },
  { reason: "a test's agent is its identity", story: new Story().lease("me").apply({ userAgent: "me" }) },
  {
    reason: "questions about rights store nothing",
    story: new Story()
      .lease("two")
      .tell({ verb: "create", objectRef: { apiGroup: "authentication.k8s.io", resource: "tokenreviews" } }),
  },
];

test.each(innocent)("innocent: $reason", ({ story }) => {
  expect(judge(story)).toEqual([]);
});

const guilty = [
  {
    reason: "it woke up when its time was over",
    story: new Story().lease("one").pass(15_001).apply(),
    why: "the lease of one had expired",
  },
  {
    reason: "somebody else took over",
    story: new Story().lease("one").pass(16_000).lease("two").apply(),
    why: 'the lease is held by "two", not by one',
  },
  {
    reason: "it gave the lease back",
    story: new Story().lease("one").lease("", 1).apply(),
    why: 'the lease is held by "", not by one',
  },
  { reason: "it never had it", story: new Story().lease("two").apply(), why: 'the lease is held by "two", not by one' },
  {
    reason: "status writes count too",
    story: new Story().lease("two").edit({}).status({ phase: "Drafting" }),
    why: 'the lease is held by "two", not by one',
  },
];

test.each(guilty)("guilty: $reason", ({ story, why }) => {
  expect(judge(story)).toEqual([expect.stringMatching(new RegExp(`: ${why}$`))]);
});
