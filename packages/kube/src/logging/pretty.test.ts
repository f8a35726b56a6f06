import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { createLog, pretty } from "./log.ts";

function begin(isColoured = false) {
  const lines: string[] = [];
  const clock = new VirtualClock(Date.UTC(2030, 0, 1, 12, 34, 56, 789));
  const log = createLog({
    level: "debug",
    format: "pretty",
    isColoured,
    clock,
    write: (line) => void lines.push(line),
  });
  return { lines, log };
}

test("shows time, level, controller, message and fields in order", () => {
  const { log, lines } = begin();
  log.child({ controller: "advisor" }).info("drafted a plan", { key: "load-aware", items: 2, note: "two words" });
  log.warn("alone");
  expect(lines).toEqual([
    '12:34:56.789 INFO  advisor drafted a plan key=load-aware items=2 note="two words"\n',
    "12:34:56.789 WARN  alone\n",
  ]);
});

test("shows errors below the line with their fields and causes", () => {
  const { log, lines } = begin();
  const cause = Object.assign(new Error("connection reset"), { code: "ECONNRESET", stack: "Error: connection reset" });
  const error = Object.assign(new TypeError("cannot apply", { cause }), { stack: "TypeError: cannot apply\n    at x" });
  cause.cause = { kind: "odd" };
  log.error("reconcile failed", { error, key: "k" });
  expect(lines.join("").split("\n")).toEqual([
    "12:34:56.789 ERROR reconcile failed key=k",
    "  TypeError: cannot apply",
    "      at x",
    "  caused by Error: connection reset code=ECONNRESET",
    '  caused by {"kind":"odd"}',
    "",
  ]);
});

test("logged text cannot control the terminal or begin a line", () => {
  const { log, lines } = begin();
  const hostile = "a\u001B[2Jb\nc\u009Bd\u202Ee\rf";
  log.info(hostile, { [hostile]: hostile, error: new Error(hostile) });
  const text = lines.join("");
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text.split("\n")[0]).toContain("a\\u{1b}[2Jb\\nc\\u{9b}d\\u{202e}e\\u{d}f");
});

test("colors the level and dims the rest on a terminal", () => {
  const { log, lines } = begin(true);
  log.error("m", { a: 1 });
  expect(lines).toEqual(["\u001B[2m12:34:56.789\u001B[0m \u001B[31mERROR\u001B[0m m \u001B[2ma=1\u001B[0m\n"]);
});

test("an object that resembles an error is a field", () => {
  expect(
    pretty('{"time":"2030-01-01T00:00:00.000Z","level":"info","msg":"m","e":{"message":1,"stack":2}}', false),
  ).toBe('00:00:00.000 INFO  m e={"message":1,"stack":2}\n');
});
