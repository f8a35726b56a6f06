import { expect, test } from "vitest";
import { type DensitySettings, densitySettings } from "./facts.ts";
import type { Options } from "./options.ts";

const ratio = (percent: number, isPinned: boolean) => ({ percent, isPinned });
const everywhere = { selector: {}, isPinned: true };

type Case = { reason: string; given: Options | undefined; wanted: DensitySettings };

const cases: readonly Case[] = [
  {
    reason: "no options: all of it, and nothing pinned",
    given: undefined,
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: { selector: {}, isPinned: false } },
  },
  {
    reason: "options that say nothing leave KSM off",
    given: {},
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: undefined },
  },
  {
    reason: "without swap the ratio falls to what is safe",
    given: { enableSwap: false },
    wanted: { hasSwap: false, ratio: ratio(120, false), ksm: undefined },
  },
  {
    reason: "a ratio that was given is pinned, even the usual one",
    given: { memoryToRequestRatio: 150 },
    wanted: { hasSwap: true, ratio: ratio(150, true), ksm: undefined },
  },
  {
    reason: "a ratio that was given counts without swap too",
    given: { enableSwap: false, memoryToRequestRatio: 110 },
    wanted: { hasSwap: false, ratio: ratio(110, true), ksm: undefined },
  },
  {
    reason: "KSM with nothing said is on everywhere, and pinned",
    given: { ksmConfiguration: {} },
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: everywhere },
  },
  {
    reason: "an empty selector selects all nodes",
    given: { ksmConfiguration: { nodeLabelSelector: {} } },
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: everywhere },
  },
  {
    reason: "KSM may be switched off",
    given: { ksmConfiguration: { enabled: false, nodeLabelSelector: { matchLabels: { a: "b" } } } },
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: undefined },
  },
  {
    reason: "empty parts of a selector are left out",
    given: { ksmConfiguration: { enabled: true, nodeLabelSelector: { matchLabels: {}, matchExpressions: [] } } },
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: everywhere },
  },
  {
    reason: "the others are passed on",
    given: {
      ksmConfiguration: {
        nodeLabelSelector: {
          matchLabels: { zone: "a" },
          matchExpressions: [
            { key: "x", operator: "Exists", values: [] },
            { key: "y", operator: "In", values: ["1", "2"] },
          ],
        },
      },
    },
    wanted: {
      hasSwap: true,
      ratio: ratio(150, false),
      ksm: {
        selector: {
          matchLabels: { zone: "a" },
          matchExpressions: [
            { key: "x", operator: "Exists" },
            { key: "y", operator: "In", values: ["1", "2"] },
          ],
        },
        isPinned: true,
      },
    },
  },
];

test.each(cases)("$reason", ({ given, wanted }) => {
  expect(densitySettings(given)).toEqual(wanted);
});
