import type { Spec } from "@virt/api";
import { expect, test } from "vitest";
import { eventsForStatusChange } from "../status-events.ts";
import { drafted, examplePlanHash, generation, observedWith, otherHash, psi } from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

/** Returns the statuses before and after the redraft that the edit causes. */
function editOptions(asked: Partial<Spec>, mustPin = false, planHash = otherHash) {
  const operator = { version: "v2", mustPin };
  const edited = { action: "Apply", options: { loadAware: { mode: "Predictive" } }, ...asked } as const;
  const running = observedWith("InProgress", { spec: { action: "Apply", ...asked } });
  const observed = { ...running, spec: { ...running.spec, ...edited }, operator, generation: generation + 1 };
  const drafting = transition(observed).status;
  expect(drafting.phase).toBe("Drafting");
  const { status } = transition({ ...observed, stored: drafting, draft: drafted([psi()], { planHash }) });
  return { drafting, status };
}

const approvalNote = ({ drafting, status }: ReturnType<typeof editOptions>, isPlanNamed = false) =>
  eventsForStatusChange(drafting, status, { moved: [], approver: "kubectl-patch", isPlanNamed }).find(
    ({ reason }) => reason === "PlanApproved",
  )?.note;

test("the new plan waits if plans are named or must be", () => {
  for (const edit of [editOptions({ approvedPlan: examplePlanHash }), editOptions({}, true)]) {
    expect(edit.status).toMatchObject({ phase: "ReviewRequired", planHash: otherHash, review: { forced: true } });
    expect(approvalNote(edit)).toBeUndefined();
  }
});

test("the event of an unreviewed new plan says so", () => {
  const edit = editOptions({});
  expect(edit.status).toMatchObject({ phase: "InProgress", planHash: otherHash });
  expect(approvalNote(edit)).toBe(
    "Plan bbbbbbbbbbbb started without a review: action is Apply, and the spec was last changed through kubectl-patch (impact High)",
  );
});

test("a plan that was shown or named counts as reviewed", () => {
  const note = "approved through kubectl-patch (impact High)";
  expect(approvalNote(editOptions({}, false, examplePlanHash))).toBe(`Plan aaaaaaaaaaaa ${note}`);
  expect(approvalNote(editOptions({}), true)).toBe(`Plan bbbbbbbbbbbb ${note}`);
});
