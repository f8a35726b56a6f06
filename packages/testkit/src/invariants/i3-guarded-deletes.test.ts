import { expect, test } from "vitest";
import { readAudited } from "./audited.ts";
import { historyOf } from "./history.ts";
import { unguardedDeletes } from "./i3-guarded-deletes.ts";
import { account, Story } from "./story.ts";

const judge = (story: Story) =>
  unguardedDeletes(historyOf(readAudited(story.log), { accounts: [account] })).map(({ message }) => message);

const deleting = () => new Story().begun({ operation: "Delete" });
const psi = "delete machineconfigs.machineconfiguration.openshift.io/psi: ";

const innocent = [
  { reason: "the reviewed uid", story: deleting().remove({ uid: "target-uid", resourceVersion: "9" }) },
  { reason: "a dry run", story: deleting().remove(undefined, { query: "?dryRun=All" }) },
  { reason: "somebody else's deletion", story: deleting().remove(undefined, { user: { username: "ann" } }) },
  { reason: "an apply", story: new Story().begun().apply() },
];

test.each(innocent)("innocent: $reason", ({ story }) => {
  expect(judge(story)).toEqual([]);
});

const guilty = [
  { reason: "no precondition", story: deleting().remove(), why: `${psi}no uid precondition` },
  {
    reason: "a resourceVersion alone: another object can have it",
    story: deleting().remove({ resourceVersion: "9" }),
    why: `${psi}no uid precondition`,
  },
  {
    reason: "the uid of an object that nobody reviewed",
    story: deleting().remove({ uid: "other" }),
    why: `${psi}no item reviewed the deletion of this uid`,
  },
  {
    reason: "an item that applies",
    story: new Story().begun().remove({ uid: "target-uid" }),
    why: `${psi}no item reviewed the deletion of this uid`,
  },
  {
    reason: "a Namespace",
    story: deleting().remove({ uid: "target-uid" }, { objectRef: { resource: "namespaces", name: "openshift-cnv" } }),
    why: "delete namespaces/openshift-cnv: a Namespace is never deleted",
  },
  {
    reason: "a whole collection",
    story: deleting().tell({ verb: "deletecollection", objectRef: { resource: "configmaps", namespace: "a" } }),
    why: "deletecollection configmaps/a: a whole collection is deleted",
  },
];

test.each(guilty)("guilty: $reason", ({ story, why }) => {
  expect(judge(story)).toEqual([why]);
});
