import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isShipped, type ShownText, sources, textsIn } from "./collect.ts";
import { literalsOf } from "./literals.ts";

const files = globSync(sources).filter(isShipped);
const all: readonly ShownText[] = files.flatMap((file) => textsIn(file, readFileSync(file, "utf8")));

describe("the list of texts", () => {
  const known: readonly (readonly [file: string, kind: ShownText["kind"], text: string])[] = [
    ["packages/advisor/src/conditions/phase.ts", "condition", "Starting plan generation"],
    [
      "packages/advisor/src/review-text.ts",
      "condition",
      "Plan <shortHash(review.planHash)> <state>: <waitReasons(observed, review)>.",
    ],
    ["packages/advisor/src/status-events.ts", "event", "Plan <plan> approved<by><through> <impact>"],
    ["packages/advisor/src/next-step.ts", "condition", "fix the cause, then run: <againCommand(spec)>"],
    ["packages/cluster/src/health/machine-config-pool.ts", "text", "<name> is degraded (<brokenText(pool)>)"],
    ["apps/operator/src/flags.ts", "flag", "address to serve /healthz and /readyz on"],
    ["config/crd/bases/advisor.kubevirt.io_virtplatformconfigs.yaml", "admission", "Profile is immutable"],
  ];
  test.each(known)("has the text of %s, a %s: %s", (file, kind, text) => {
    expect(all).toContainEqual({ file, kind, text, line: expect.any(Number) as number });
  });

  test("has the line of each text", () => {
    const [one] = all.filter(({ text }) => text === "Starting plan generation");
    const lines = readFileSync(one?.file ?? "", "utf8").split("\n");
    expect(lines[(one?.line ?? 0) - 1]).toContain("Starting plan generation");
  });

  test("has every plain log message of several words", () => {
    const missing = files.flatMap((file) => {
      const source = readFileSync(file, "utf8");
      const logged = [...source.matchAll(/\blog\.(?:debug|info|warn|error)\("([^"]+ [^"]+)"/g)].map(([, text]) => text);
      return logged.filter((text) => !all.some((one) => one.file === file && one.text === text));
    });
    expect(missing).toEqual([]);
  });

  test("has the message of every admission policy", () => {
    const policies = files.filter((file) => file.startsWith("config/admission/"));
    const messages = policies.flatMap((file) => readFileSync(file, "utf8").match(/message(?:Expression)?: /g) ?? []);
    expect(messages.length).toBeGreaterThan(5);
    const listed = all.filter(({ file, kind }) => kind === "admission" && file.startsWith("config/admission/"));
    expect(listed).toHaveLength(messages.length);
  });

  test("has no file that only tests use", () => {
    expect(files.filter((file) => /\.test\.|testkit/.test(file))).toEqual([]);
  });
});

describe("literalsOf", () => {
  const textsOf = (source: string) => literalsOf(source).map(({ text }) => text);

  test("finds strings and templates with their placeholders, also nested ones", () => {
    const source = "const a = 'one'; f(`x ${cond ? `inner ${b}` : \"two\"} y`);";
    expect(textsOf(source).toSorted()).toEqual(
      ["inner <b>", "one", "two", 'x <cond ? `inner ${b}` : "two"> y'].toSorted(),
    );
  });

  test("handles comments, escapes, regular expressions and divisions", () => {
    const source = String.raw`// it's no string
      /* nor "this" */ const r = /["'${"`"}/]/g; const d = a / b / "q\"uoted"; const e = { a: /\//.test("x") };`;
    expect(textsOf(source)).toEqual(['q"uoted', "x"]);
  });

  test("rejects unreadable code instead of omitting texts", () => {
    expect(() => literalsOf('const a = "no end')).toThrow("a string has no end");
    expect(() => literalsOf("const a = `no end ${b}")).toThrow("a template has no end");
  });
});
