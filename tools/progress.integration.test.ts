import { spawnSync } from "node:child_process";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { runAtTerminal } from "./testing/terminal-screen.ts";

const long = "a step with a name that is longer than a narrow terminal in a small window of a laptop";
const reports = `
  import { startProgress } from "${inRepository("tools", "progress.ts")}";
  const progress = startProgress("${long}", process.stderr);
  for (let part = 0; part < 4; part++) {
    progress.update("part " + part);
    await new Promise((resolve) => setTimeout(resolve, 120)); // longer than a line stays
  }
  progress.done("");
`;
const program = [process.execPath, "--input-type=module", "-e", reports];
const quoted = (words: readonly string[]) => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
const seconds = (line: string) => line.replace(/\([\d.]+s\)$/, "(<time>)");

test.for([0, 40])("a step stays one line on a terminal of %i columns", (columns) => {
  const step = runAtTerminal(`tools/step -q "${long}" sleep 1.5`, columns);
  const inProgram = runAtTerminal(quoted(program), columns);
  for (const { status, lines } of [step, inProgram]) {
    expect(status).toBe(0);
    expect(seconds(lines.join(""))).toBe(`  ok: ${long} (<time>)`);
  }
});

test("a step that fails shows its output and keeps its exit code", () => {
  const { status, lines } = runAtTerminal(`tools/step -q build sh -c 'echo "no room left"; exit 3'`, 80);
  expect(lines.map(seconds)).toEqual(["no room left", "  FAILED: build (<time>)"]);
  expect(status).toBe(3);
});

test("in a pipe, a step prints whole lines without control characters", () => {
  for (const [command = "", ...args] of [["tools/step", "-q", long, "true"], program]) {
    const { stderr } = spawnSync(command, args, { cwd: inRepository(), encoding: "utf8" });
    expect(stderr.split("\n").map(seconds)).toEqual([`> ${long}`, `  ok: ${long} (<time>)`, ""]);
  }
});
