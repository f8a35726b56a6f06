import { expect, test } from "vitest";
import { type DensitySettings, densitySettings } from "./facts.ts";
import type { Options } from "./options.ts";

const ratio = (percent: number, isPinned: boolean) => ({ percent, isPinned });
const everywhere = { selector: {}, isPinned: true };

type Case = { reason: string; given: Options | undefined; wanted: DensitySettings };

const cases: readonly Case[] = [
  {
    reason: "without options, everything is on and nothing is pinned",
    given: undefined,
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: { selector: {}, isPinned: false } },
  },
  {
    reason: "empty options leave KSM off",
    given: {},
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: undefined },
  },
  {
    reason: "without swap, the ratio is the safe default",
    given: { enableSwap: false },
    wanted: { hasSwap: false, ratio: ratio(120, false), ksm: undefined },
  },
  {
    reason: "a given ratio is pinned, even the default one",
    given: { memoryToRequestRatio: 150 },
    wanted: { hasSwap: true, ratio: ratio(150, true), ksm: undefined },
  },
  {
    reason: "a given ratio also counts without swap",
    given: { enableSwap: false, memoryToRequestRatio: 110 },
    wanted: { hasSwap: false, ratio: ratio(110, true), ksm: undefined },
  },
  {
    reason: "an empty KSM configuration enables KSM everywhere and pins it",
    given: { ksmConfiguration: {} },
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: everywhere },
  },
  {
    reason: "an empty selector selects all nodes",
    given: { ksmConfiguration: { nodeLabelSelector: {} } },
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: everywhere },
  },
  {
    reason: "KSM can be disabled",
    given: { ksmConfiguration: { enabled: false, nodeLabelSelector: { matchLabels: { a: "b" } } } },
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: undefined },
  },
  {
    reason: "omits empty parts of a selector",
    given: { ksmConfiguration: { enabled: true, nodeLabelSelector: { matchLabels: {}, matchExpressions: [] } } },
    wanted: { hasSwap: true, ratio: ratio(150, false), ksm: everywhere },
  },
  {
    reason: "keeps the other parts of a selector",
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
