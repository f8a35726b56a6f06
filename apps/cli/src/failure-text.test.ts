import { expect, test } from "vitest";
import { describeThrown, exitCodeOf } from "./failure-text.ts";
import { CliError, exitCodes } from "./verb.ts";

const quiet = { isDebug: false, version: "v1.2.3" };

test("an unexpected error is one line with the address for bug reports", () => {
  const text = describeThrown(new TypeError("Map.groupBy is not a function"), quiet);
  expect(text).toBe(
    "unexpected error: TypeError: Map.groupBy is not a function. This is a bug. Run the command again with --debug and report the output at https://github.com/kubevirt/virt-operators/issues\n",
  );
  expect(exitCodeOf(new TypeError("x"))).toBe(exitCodes.error);
});

test("--debug adds versions and the stack with its cause", () => {
  const error = new Error("outer", { cause: new Error("inner") });
  const text = describeThrown(error, { ...quiet, isDebug: true });
  expect(text).toContain("kubectl virt-advisor v1.2.3, Node v");
  expect(text).toMatch(/Error: outer\n +at .*caused by: Error: inner\n +at /su);
});

test("an expected error shows its message without terminal control characters", () => {
  expect(describeThrown(new CliError("no \u009B31mred\u202E\nend"), quiet)).toBe(
    "error: no \\u{9b}31mred\\u{202e} end\n",
  );
});
