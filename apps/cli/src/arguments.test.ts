import { expect, test } from "vitest";
import { readArguments, readFlagDuration, writeHelp } from "./arguments.ts";
import { completionScript, completionShells } from "./completion-script.ts";
import { verbs } from "./verbs.ts";

test("flags may stand before the verb, and a repeated one keeps all its values", () => {
  const read = readArguments(["--context", "a", "plan", "x", "--set", "k=v", "--set=l=w", "-o", "json"], "k");
  expect(read).toMatchObject({ kind: "run", words: ["x"] });
  const values = read.kind === "run" ? Object.fromEntries(read.values) : {};
  expect(values).toEqual({ context: ["a"], set: ["k=v", "l=w"], output: ["json"] });
});

test("a duration is Go's, or a number of seconds as kubectl takes it", () => {
  expect(["90s", "1h30m", "250ms", "10"].map((text) => readFlagDuration(text, "timeout"))).toEqual([
    90_000, 5_400_000, 250, 10_000,
  ]);
  expect(() => readFlagDuration("soon", "timeout")).toThrow("--timeout soon: not a duration");
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
