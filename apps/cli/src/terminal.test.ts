import { expect, test } from "vitest";
import { canRedraw } from "./terminal.ts";

const terminal = { isTTY: true, rows: 40, columns: 100 };

test.each([
  { what: "a terminal", stdout: terminal, term: "xterm", isRedrawn: true },
  { what: "a pipe", stdout: { ...terminal, isTTY: false }, term: "xterm", isRedrawn: false },
  { what: "a terminal without cursor movement", stdout: terminal, term: "dumb", isRedrawn: false },
  { what: "a terminal of unknown type", stdout: terminal, term: "", isRedrawn: false },
  { what: "a terminal of unknown size", stdout: { ...terminal, rows: 0, columns: 0 }, term: "xterm", isRedrawn: false },
])("redraws on $what: $isRedrawn", ({ stdout, term, isRedrawn }) => {
  expect(canRedraw(stdout, term)).toBe(isRedrawn);
});
