import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function begin(level: "debug" | "info" = "debug") {
  const lines: string[] = [];
  const clock = new VirtualClock();
  const log = createLog({ level, format: "json", isColoured: false, clock, write: (line) => void lines.push(line) });
  return { lines, log, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test("a record is one line of JSON with its own and its logger's fields", () => {
  const { log, lines } = begin();
  log.child({ controller: "advisor" }).child({ key: "load-aware" }).info("100 %s done", { hash: "f00" });
  expect(lines).toEqual([
    '{"level":"info","time":"2030-01-01T00:00:00.000Z","controller":"advisor","key":"load-aware","hash":"f00","msg":"100 %s done"}\n',
  ]);
});

test("omits records below the level, also from child loggers", () => {
  const { log, records } = begin("info");
  for (const one of [log, log.child({ key: "k" })]) {
    one.debug("no");
    one.warn("yes");
  }
  expect(records().map(({ msg }) => msg)).toEqual(["yes", "yes"]);
});

test("fields do not replace level, time and message", () => {
  const { log, records } = begin();
  log.error("true", { level: "debug", time: "never", msg: "false" });
  expect(records()).toMatchObject([{ level: "error", time: "2030-01-01T00:00:00.000Z", msg: "true", level_: "debug" }]);
});

test("errors keep their code, causes and inner errors", () => {
  const { log, records } = begin();
  const cause = Object.assign(new TypeError("inner"), { code: "ECONNRESET" });
  log.error("failed", { error: new AggregateError([new Error("other")], "outer", { cause }) });
  expect(records()).toMatchObject([
    {
      error: {
        type: "AggregateError",
        message: "outer",
        stack: expect.stringContaining("log.test.ts") as string,
        errors: [{ message: "other" }],
        cause: { type: "TypeError", message: "inner", code: "ECONNRESET" },
      },
    },
  ]);
});

const itself: { self?: unknown } = {};
itself.self = itself;
const throwing = {
  get trap(): string {
    throw new Error("trap");
  },
};

test.each([
  { reason: "a circular object", value: itself, logged: { self: "[circular]" } },
  { reason: "a throwing getter", value: throwing, logged: "[unreadable]" },
  { reason: "a revoked proxy", value: revoked(), logged: "[unreadable]" },
  { reason: "bytes", value: Buffer.from("secret"), logged: "[6 bytes]" },
  { reason: "numbers that JSON lacks", value: [1n, Number.NaN], logged: ["1", "NaN"] },
  { reason: "valid and invalid dates", value: [new Date(0), new Date("x")], logged: ["1970-01-01T00:00:00.000Z", "Invalid Date"] }, // biome-ignore format: a table
  { reason: "values without a JSON form", value: [undefined, () => 1, Symbol("s")], logged: [null, null, "Symbol(s)"] },
])("logs $reason", ({ value, logged }) => {
  const { log, records } = begin();
  log.info("m", { value });
  expect(records()).toMatchObject([{ value: logged }]);
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test("bounds the size of records and the time to write them", () => {
  const { log, lines } = begin();
  const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ inner }), "bottom");
  const wide = Array.from({ length: 100_000 }, (_, at) => ({ at, name: "n" }));
  log.info("m", { deep, wide: { wide } });
  for (const part of ["x", "[", '{"', '"\\', "eyJaaaa.", "y-", "token: ", "Bearer ", "a=", "//a", " ", "name=a,"]) {
    for (const length of [90_000, 1_000_000]) log.info(part.repeat(length / part.length), { part });
  }
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(100_000);
});
