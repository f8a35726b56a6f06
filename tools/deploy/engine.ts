// Which container engine builds images: the first that answers, for an installed command may have no engine behind it.

import { spawnSync } from "node:child_process";

export type Engine =
  | { readonly kind: "found"; readonly command: string }
  | { readonly kind: "none"; readonly why: string };

const patienceMs = 20_000;

/** `wanted` is CONTAINER_TOOL. */
export function findEngine(wanted: string | undefined): Engine {
  const troubles: string[] = [];
  for (const command of wanted ? [wanted] : ["podman", "docker"]) {
    const trouble = troubleWith(command);
    if (trouble === undefined) return { kind: "found", command };
    troubles.push(`${command}: ${trouble}`);
  }
  return { kind: "none", why: `no container engine answers (${troubles.join("; ")})` };
}

/** Of a program that is asked how it is. */
export function troubleWith(command: string, question = "info"): string | undefined {
  const { error, status, stderr } = spawnSync(command, [question], { encoding: "utf8", timeout: patienceMs });
  if (error !== undefined) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "not installed" : error.message;
  }
  const lastWords = stderr.trim().split("\n").at(-1) ?? "";
  return status === 0 ? undefined : lastWords || `ended with ${status}`;
}

export function neededEngine(wanted = process.env["CONTAINER_TOOL"]): string {
  const engine = findEngine(wanted);
  if (engine.kind === "found") return engine.command;
  const instead = "or work without an image: make dev-setup, then make run";
  throw new Error(`${engine.why}.\n  Start or install one, name another with CONTAINER_TOOL=, ${instead}.`);
}
