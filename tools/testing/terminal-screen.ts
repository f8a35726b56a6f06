// Runs a program in a terminal of util-linux's `script` and returns the screen that a user sees.

import { spawnSync } from "node:child_process";
import { inRepository } from "@virt/testkit";

export type TerminalRun = { readonly status: number | null; readonly lines: readonly string[] };

/** With `columns` 0, the terminal reports a width of 0, as `script` does by default. */
export function runAtTerminal(command: string, columns: number): TerminalRun {
  const sized = columns === 0 ? command : `stty cols ${columns} rows 24; ${command}`;
  const { status, stdout } = spawnSync("script", ["-qec", sized, "/dev/null"], {
    cwd: inRepository(),
    env: { ...process.env, TERM: "xterm" },
    input: "",
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, lines: drawScreen(stdout, columns === 0 ? 80 : columns) };
}

const eraseSign = "\u241b";

/** Returns all lines, including scrolled ones. Supports newlines, carriage returns, erased lines and wrapping. */
function drawScreen(text: string, columns: number): readonly string[] {
  const lines = [""];
  let [row, column] = [0, 0];
  for (const sign of text.replaceAll("\u001b[K", eraseSign)) {
    if (sign === "\r") column = 0;
    else if (sign === eraseSign) lines[row] = (lines[row] ?? "").slice(0, column);
    else if (sign === "\n") row += 1;
    else {
      if (column === columns) [row, column] = [row + 1, 0];
      const line = (lines[row] ?? "").padEnd(column);
      lines[row] = `${line.slice(0, column)}${sign}${line.slice(column + 1)}`;
      column += 1;
    }
    lines[row] ??= "";
  }
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
