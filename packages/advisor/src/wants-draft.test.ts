import { type Phase, phases } from "@virt/api";
import { expect, test } from "vitest";
import { descheduler, type Given, generation, input, observed, psi, seenItem } from "./observed-world.ts";
import { wantsDraft } from "./wants-draft.ts";

const stale = [seenItem(psi(), { current: { uid: "u2", resourceVersion: "2", hash: "h2" } }), seenItem(descheduler())];
const wanting = (given: Given): readonly Phase[] => phases.filter((phase) => wantsDraft(observed(phase, given)));

const rows: readonly (readonly [string, Given, readonly Phase[]])[] = [
  ["a quiet pass drafts where a plan is due", {}, ["Drafting"]],
  [
    "a target that moved is drafted in review",
    { items: stale, spec: { action: "DryRun" } },
    ["Drafting", "ReviewRequired"],
  ],
  ["an upgrade that looks adopted is", { upgrade: "aligned" }, ["Drafting", "CompletedWithUpgrade"]],
  ["an upgrade that does not is not", { upgrade: "differs" }, ["Drafting"]],
  [
    "moved inputs are drafted by the next pass",
    { inputs: [input({ now: "9" })], items: stale, upgrade: "aligned" },
    ["Drafting"],
  ],
  ["nothing is drafted that cannot be planned", { blocked: { kind: "other", message: "" }, items: stale }, []],
  ["nothing is drafted that is ignored", { spec: { action: "Ignore" } }, []],
  ["an edit is first written down", { generation: generation + 1, spec: { action: "DryRun" } }, ["Drafting"]],
];

test.each(rows)("%s", (_reason, given, wanted) => {
  expect(wanting(given)).toEqual(wanted);
});
