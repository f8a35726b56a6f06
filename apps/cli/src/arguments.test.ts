import { expect, test } from "vitest";
import { readArguments, writeHelp } from "./arguments.ts";
import { completionScript, completionShells } from "./completion-script.ts";
import { readFlagDuration } from "./flag-values.ts";
import type { CliFlags } from "./verb.ts";
import { globalFlags, verbs } from "./verbs.ts";

test("accepts flags before the verb and keeps every value of a repeated flag", () => {
  const read = readArguments(["--context", "a", "plan", "x", "--set", "k=v", "--set=l=w", "-o", "json"], "k");
  expect(read).toMatchObject({ kind: "run", words: ["x"] });
  const values = read.kind === "run" ? Object.fromEntries(read.values) : {};
  expect(values).toEqual({ context: ["a"], set: ["k=v", "l=w"], output: ["json"] });
});

test("reads durations in Go's format or in seconds, like kubectl", () => {
  expect(["90s", "1h30m", "250ms", "10"].map((text) => readFlagDuration(text, "timeout"))).toEqual([
    90_000, 5_400_000, 250, 10_000,
  ]);
  expect(() => readFlagDuration("soon", "timeout")).toThrow("--timeout soon: invalid duration");
});

/** A malformed value for each format that is validated. Formats that accept any text are not listed. */
const malformed: Readonly<Record<string, string>> = {
  DURATION: "banana",
  PORT: "70000",
  HASH: "banana",
  "KEY=VALUE": "banana",
  NAMESPACE: "Not_One",
  FORMAT: "xml",
  WHEN: "sometimes",
};
const anyText = new Set(["FILE", "NAME", "USER", "GROUP", "TEXT", "POOL", "ASSET", "COLUMN", undefined]);

const everyFlag = verbs.flatMap((verb) =>
  Object.entries({ ...globalFlags, ...verb.flags } as CliFlags)
    .filter(([flag]) => flag !== "help")
    .map(([flag, { value, needs }]) => ({ verb, flag, value, needs })),
);

test.each(everyFlag)("$verb.name rejects a malformed --$flag", ({ verb, flag, value, needs }) => {
  const wrong = malformed[value ?? ""];
  const word = verb.takes === undefined ? [] : ["x"];
  const others = needs === undefined ? [] : [`--${needs}`, ...(verb.flags[needs]?.value === undefined ? [] : ["x"])];
  const read =
    (...given: readonly string[]) =>
    () =>
      readArguments([verb.name, ...word, ...others, ...given], "k");
  const attempts = [
    { given: [`--${flag}x`, "x"], says: `unknown flag --${flag}x for ${verb.name}` },
    value === undefined
      ? { given: [`--${flag}=banana`], says: `--${flag} does not take a value` }
      : { given: [`--${flag}=`], says: `--${flag} requires a value` },
    ...(wrong === undefined ? [] : [{ given: [`--${flag}`, wrong], says: `--${flag} ${wrong}: ` }]),
  ];
  expect(wrong !== undefined || anyText.has(value)).toBe(true);
  for (const { given, says } of attempts) expect(read(...given)).toThrow(says);
});

test("rejects a flag without the flag that it requires", () => {
  expect(() => readArguments(["status", "--timeout", "1s"], "k")).toThrow("--timeout requires --wait");
  expect(() => readArguments(["render", "--facts-file", "x"], "k")).toThrow("--facts-file requires --hco-file");
});

test("suggests the closest flag or value for a typo", () => {
  expect(() => readArguments(["status", "--wach"], "k")).toThrow("did you mean watch?");
  expect(() => readArguments(["status", "-o", "jsn"], "k")).toThrow("did you mean json?");
});

test("-o jsonpath requires a template, and -o name a verb that lists objects", () => {
  expect(readArguments(["profiles", "-o", "jsonpath={.items[*].name}"], "k")).toMatchObject({ kind: "run" });
  expect(() => readArguments(["profiles", "-o", "jsonpath="], "k")).toThrow("must be one of");
  expect(readArguments(["assets", "-o", "name"], "k")).toMatchObject({ kind: "run" });
  expect(() => readArguments(["doctor", "-o", "name"], "k")).toThrow(
    "-o name is not supported by doctor: it does not list objects",
  );
});

test("completes profile and asset names from the cluster", () => {
  expect(completionScript("bash")).toMatch(/explain\) words="\$\(kubectl-virt_advisor assets -o name /);
  expect(completionScript("fish")).toMatch(/seen_subcommand_from plan' -a '\(kubectl-virt_advisor profiles -o name /);
});

test("every verb has help with an example, and completion in every shell", () => {
  for (const verb of verbs) {
    const help = writeHelp(verb, "kubectl virt-advisor");
    expect(help).toContain(`usage: kubectl virt-advisor ${verb.name}`);
    expect(verb.examples.length).toBeGreaterThan(0);
    for (const example of verb.examples) expect(readArguments(splitWords(example), "k")).toMatchObject({ kind: "run" });
    for (const shell of completionShells) expect(completionScript(shell)).toContain(verb.name);
  }
});

function splitWords(line: string): readonly string[] {
  return (line.match(/"[^"]*"|\S+/gu) ?? []).map((word) => word.replaceAll('"', ""));
}
