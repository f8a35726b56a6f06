import { expect, test } from "vitest";
import { listReportsOnce } from "./machine-config-pool.ts";

const cases = [
  {
    reason: "shows the same cause of the MachineConfigNode and the node once",
    given:
      'Node w-0 is reporting: "Node w-0 upgrade failure. disk \\"a\\" is full", Node w-0 is reporting: "disk \\"a\\" is full"',
    shown: 'Node w-0 is reporting: "disk \\"a\\" is full"',
  },
  {
    reason: "keeps the order of two nodes",
    given:
      'Node b is reporting: "full", Node a is reporting: "full", Node b is reporting: "full", Node a is reporting: "full"',
    shown: 'Node b is reporting: "full", Node a is reporting: "full"',
  },
  {
    reason: "shows different causes of one node",
    given: 'Node a is reporting: "Node a upgrade failure. one", Node a is reporting: "two"',
    shown: 'Node a is reporting: "one", Node a is reporting: "two"',
  },
  {
    reason: "keeps a cause that quotes a report",
    given: 'Node a is reporting: "saw Node b is reporting: \\"x\\", Node b is reporting: \\"x\\""',
    shown: 'Node a is reporting: "saw Node b is reporting: \\"x\\", Node b is reporting: \\"x\\""',
  },
  {
    reason: "keeps other sentences",
    given: 'Node a references an invalid PinnedImageSet., Node a is reporting: "x", Node a is reporting: "x"',
    shown: 'Node a references an invalid PinnedImageSet., Node a is reporting: "x"',
  },
  {
    reason: "shows a cause that the annotation cuts once and in full",
    given: 'Node a is reporting: "Node a upgrade failure. disk is full: /var", Node a is reporting: "disk is full"',
    shown: 'Node a is reporting: "disk is full: /var"',
  },
  {
    reason: "keeps a cut cause if another node reports it in full",
    given: 'Node a is reporting: "disk is full: /var", Node b is reporting: "disk is full"',
    shown: 'Node a is reporting: "disk is full: /var", Node b is reporting: "disk is full"',
  },
  { reason: "keeps a cut message", given: 'Node a is reporting: "x', shown: 'Node a is reporting: "x' },
  { reason: "keeps an empty message", given: "", shown: "" },
];

test.each(cases)("$reason", ({ given, shown }) => {
  expect(listReportsOnce(given)).toBe(shown);
});
