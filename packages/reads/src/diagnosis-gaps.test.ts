import type { NotAssessedReason } from "@virt/api";
import { assessed, notAssessed } from "@virt/impact";
import { expect, test } from "vitest";
import { findDiagnosisGaps } from "./diagnosis-gaps.ts";

const kind = "VirtualMachineInstance";
const reasons = ["Forbidden", "TooMany", "Unavailable", "Listing"] as const;

test.each(reasons)("a kind that is %s is a gap with its reason and message", (reason) => {
  expect(findDiagnosisGaps([[kind, notAssessed(reason, "answer")]])).toEqual([
    { what: kind, reason, message: "answer" },
  ]);
});

test("a kind that was read or is not served is not a gap", () => {
  expect(
    findDiagnosisGaps([
      [kind, assessed([])],
      ["KubeVirt", notAssessed("NotServed")],
    ]),
  ).toEqual([]);
});

test("pools that are not served are a gap", () => {
  expect(findDiagnosisGaps([["MachineConfigPool", notAssessed("NotServed")]])).toMatchObject([{ reason: "NotServed" }]);
});

const versions: readonly (readonly [NotAssessedReason | "read", NotAssessedReason | "read", string | undefined])[] = [
  ["read", "Listing", undefined],
  ["NotServed", "read", undefined],
  ["NotServed", "NotServed", undefined],
  ["Forbidden", "Listing", "Forbidden"],
  ["Listing", "Forbidden", "Forbidden"],
  ["NotServed", "Listing", "Listing"],
];

test.each(versions)("a kind whose versions are %s and %s has one gap or none: %s", (newer, older, gap) => {
  const inputOf = (reason: NotAssessedReason | "read") => (reason === "read" ? assessed([]) : notAssessed(reason));
  const gaps = findDiagnosisGaps([newer, older].map((reason) => ["HyperConverged", inputOf(reason)] as const));
  expect(gaps.map(({ reason }) => reason)).toEqual(gap === undefined ? [] : [gap]);
});
