import { expect, test } from "vitest";
import { listReportsOnce } from "./node-reports.ts";

const cases = [
  {
    reason: "the same reason from the MachineConfigNode and from the node is shown once",
    given:
      'Node w-0 is reporting: "Node w-0 upgrade failure. disk \\"a\\" is full", Node w-0 is reporting: "disk \\"a\\" is full"',
    shown: 'Node w-0 is reporting: "disk \\"a\\" is full"',
  },
  {
    reason: "the order of two nodes stays",
    given:
      'Node b is reporting: "full", Node a is reporting: "full", Node b is reporting: "full", Node a is reporting: "full"',
    shown: 'Node b is reporting: "full", Node a is reporting: "full"',
  },
  {
    reason: "different reasons of one node are all shown",
    given: 'Node a is reporting: "Node a upgrade failure. one", Node a is reporting: "two"',
    shown: 'Node a is reporting: "one", Node a is reporting: "two"',
  },
  {
    reason: "a reason that quotes a report stays as it is",
    given: 'Node a is reporting: "saw Node b is reporting: \\"x\\", Node b is reporting: \\"x\\""',
    shown: 'Node a is reporting: "saw Node b is reporting: \\"x\\", Node b is reporting: \\"x\\""',
  },
  {
    reason: "other sentences stay",
    given: 'Node a references an invalid PinnedImageSet., Node a is reporting: "x", Node a is reporting: "x"',
    shown: 'Node a references an invalid PinnedImageSet., Node a is reporting: "x"',
  },
  {
    reason: "a reason that the node's annotation cuts is shown once, in full",
    given: 'Node a is reporting: "Node a upgrade failure. disk is full: /var", Node a is reporting: "disk is full"',
    shown: 'Node a is reporting: "disk is full: /var"',
  },
  {
    reason: "a reason that another node reports in full stays",
    given: 'Node a is reporting: "disk is full: /var", Node b is reporting: "disk is full"',
    shown: 'Node a is reporting: "disk is full: /var", Node b is reporting: "disk is full"',
  },
  { reason: "a message that was cut stays", given: 'Node a is reporting: "x', shown: 'Node a is reporting: "x' },
  { reason: "no message stays empty", given: "", shown: "" },
];

test.each(cases)("$reason", ({ given, shown }) => {
  expect(listReportsOnce(given)).toBe(shown);
});
