// Finds a container engine that works. A command may be installed although its engine is not running.

import { spawnSync } from "node:child_process";

export type Engine =
  | { readonly kind: "found"; readonly command: string }
  | { readonly kind: "none"; readonly why: string };

const patienceMs = 20_000;

/** `wanted` is CONTAINER_TOOL. */
export function findEngine(wanted: string | undefined): Engine {
  const problems: string[] = [];
  for (const command of wanted ? [wanted] : ["podman", "docker"]) {
    const problem = findProblem(command);
    if (problem === undefined) return { kind: "found", command };
    problems.push(`${command}: ${problem}`);
  }
  return { kind: "none", why: `no container engine is available (${problems.join("; ")})` };
}

/** Returns why a program does not work, or undefined if `question` succeeds. */
export function findProblem(command: string, question = "info"): string | undefined {
  const { error, status, stderr } = spawnSync(command, [question], { encoding: "utf8", timeout: patienceMs });
  if (error !== undefined) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "not installed" : error.message;
  }
  const lastWords = stderr.trim().split("\n").at(-1) ?? "";
  return status === 0 ? undefined : lastWords || `exited with ${status}`;
}

export function neededEngine(wanted = process.env["CONTAINER_TOOL"]): string {
  const engine = findEngine(wanted);
  if (engine.kind === "found") return engine.command;
  throw new Error(
    [
      `${engine.why}.`,
      "  Start or install one, or set CONTAINER_TOOL=<command>.",
      "  To build without one: make image writes dist/image.tar, and docs/OPENSHIFT_DEPLOYMENT.md describes how to push it.",
      "  To work without an image: make dev-setup, then make run.",
    ].join("\n"),
  );
}
