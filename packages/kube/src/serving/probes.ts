// Health in the form that the kubelet and people read.

import type { Reply } from "./routes.ts";

/** Why all is not well, in one line; undefined if it is. */
export type Check = () => string | undefined;

export type Checks = Readonly<Record<string, Check>>;

/** 200 or 500. The body names each check that fails; the others too, if asked to be verbose. */
export function probe(checks: Checks, isVerbose: boolean): Reply {
  const results = Object.entries(checks).map(([name, check]) => ({ name, problem: problemOf(check) }));
  const lines = results.flatMap(({ name, problem }) => {
    if (problem === undefined) return isVerbose ? [`[+]${name} ok`] : [];
    return [`[-]${name} failed: ${problem.replaceAll(/\s+/g, " ").trim()}`];
  });
  const isWell = results.every(({ problem }) => problem === undefined);
  const body = isWell ? [...lines, "ok"] : lines;
  return { status: isWell ? 200 : 500, body: `${body.join("\n")}\n` };
}

function problemOf(check: Check): string | undefined {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
