import { expect, test } from "vitest";
import { readAudited } from "./audited.ts";
import { historyOf } from "./history.ts";
import { unreviewedWrites } from "./i2-as-reviewed.ts";
import { account, Story } from "./story.ts";

const judge = (story: Story) =>
  unreviewedWrites(historyOf(readAudited(story.log), { accounts: [account] })).map(({ message }) => message);

const conflicts = [{ field: "spec.kernelArguments", manager: "someone" }];
const forced = { query: "?fieldManager=virt-advisor-operator&force=true" };
const created = { metadata: { name: "psi" } };
const bypassed = { bypassOptimisticLock: true };

const innocent = [
  { reason: "the reviewed object at a fresh resourceVersion", story: new Story().begun().apply() },
  { reason: "force over a conflict that was shown", story: new Story().begun({ conflicts }).apply(forced) },
  { reason: "reviewed as absent, created", story: new Story().begun({ reviewed: { uid: "" } }).apply(created) },
  { reason: "the lock was given up", story: new Story().begun({}, bypassed).apply({ ...forced, ...created }) },
  { reason: "a write without approval is not judged twice", story: new Story().apply({ metadata: { name: "other" } }) },
];

test.each(innocent)("innocent: $reason", ({ story }) => {
  expect(judge(story)).toEqual([]);
});

const guilty = [
  {
    reason: "another body",
    story: new Story()
      .begun()
      .apply({ requestObject: { apiVersion: "v1", kind: "MachineConfig", metadata: { name: "psi" } } }),
    why: "the body is not the desiredState of item enable-psi-metrics",
  },
  {
    reason: "another body, although the lock was given up",
    story: new Story().begun({}, bypassed).apply({ metadata: { name: "psi", labels: { a: "b" } } }),
    why: "the body is not the desiredState of item enable-psi-metrics",
  },
  {
    reason: "an object that was created anew since the review",
    story: new Story().begun().apply({ metadata: { name: "psi", uid: "other", resourceVersion: "9" } }),
    why: 'the uid is "other", reviewed was "target-uid"',
  },
  {
    reason: "no uid: the server would create what was deleted",
    story: new Story().begun().apply({ metadata: { name: "psi", resourceVersion: "9" } }),
    why: 'the uid is "", reviewed was "target-uid"',
  },
  {
    reason: "no resourceVersion: the server would overwrite what came between",
    story: new Story().begun().apply({ metadata: { name: "psi", uid: "target-uid" } }),
    why: "applied without a resourceVersion",
  },
  {
    reason: "reviewed as absent, applied to what somebody made",
    story: new Story().begun({ reviewed: {} }).apply({ metadata: { name: "psi", uid: "new", resourceVersion: "9" } }),
    why: 'the uid is "new", reviewed was ""',
  },
  {
    reason: "reviewed as absent, at a resourceVersion",
    story: new Story().begun({ reviewed: {} }).apply({ metadata: { name: "psi", resourceVersion: "9" } }),
    why: "reviewed as absent, applied at a resourceVersion",
  },
  {
    reason: "force without a conflict on display",
    story: new Story().begun().apply(forced),
    why: "forced, but item enable-psi-metrics showed no conflict",
  },
  {
    reason: "the lock was given up, but a plan is pinned",
    story: new Story().begun({}, { ...bypassed, approvedPlan: "h1" }).apply(forced),
    why: "forced, but item enable-psi-metrics showed no conflict",
  },
  {
    reason: "a field manager that users do not know",
    story: new Story().begun().apply({ query: "?fieldManager=other" }),
    why: "the field manager is other",
  },
  {
    reason: "an update",
    story: new Story().begun().apply({ verb: "update" }),
    why: "a target is written by apply only",
  },
  {
    reason: "a JSON patch",
    story: new Story().begun().apply({ requestObject: [{ op: "add", path: "/spec", value: {} }] }),
    why: "a target is written by apply only",
  },
  {
    reason: "an item that says Delete is applied",
    story: new Story().begun({ operation: "Delete" }).apply(),
    why: "item enable-psi-metrics deletes, it does not apply",
  },
];

test.each(guilty)("guilty: $reason", ({ story, why }) => {
  expect(judge(story)).toEqual([
    expect.stringContaining(`machineconfigs.machineconfiguration.openshift.io/psi: ${why}`),
  ]);
});
