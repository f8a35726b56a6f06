// Runs commands as if pasted into a shell with the demo's PATH folder: plugin, kubectl, and stand-ins for oc, virtctl
// and ssh.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { inRepository, type Server } from "@virt/testkit";
import { expect } from "vitest";
import { fillPathFolder } from "../../tools/demo/path-folder.ts";

/** A command of the product or a tool, with values for its placeholders. */
export type Paste = {
  readonly command: string;
  /** A command that first creates the state in which the command is printed. */
  readonly before?: string;
  readonly typed?: string;
  /** Default: 0. */
  readonly code?: number;
  /** The expected failure, if only the test's cluster causes it. */
  readonly says?: RegExp;
};

export type PastedCommand = { readonly code: number | null; readonly printed: string };

/** Interrupts a command that watches or serves after its first output. Editors change nothing. */
export function pasteCommand(command: string, server: Server): Promise<PastedCommand> {
  const path = [pathFolder(server), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const isInterrupted = / (?:--watch|console)$/u.test(command);
  const child = spawn("sh", ["-c", isInterrupted ? `exec ${command}` : command], {
    env: { PATH: path, HOME: server.folder, KUBECONFIG: server.kubeconfig, KUBE_EDITOR: "true" },
  });
  child.stdin.end();
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      printed += text.toString();
      if (isInterrupted && !child.killed) child.kill("SIGINT");
    });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, printed })));
}

export async function pasteFailure(paste: Paste, server: Server): Promise<string | undefined> {
  const { command, before, typed, code: wanted = 0, says = /(?:)/u } = paste;
  if (before !== undefined) expect(await pasteCommand(before, server)).toMatchObject({ code: 0 });
  const atTerminal = typed === undefined ? command : `echo ${typed} | script -qec '${command}' /dev/null`;
  const { code, printed } = await pasteCommand(atTerminal, server);
  return code === wanted && says.test(printed) ? undefined : `${command} ended with ${code}\n${printed}`;
}

function pathFolder({ folder, binaries }: Server): string {
  const place = join(folder, "path");
  if (existsSync(place)) return place;
  mkdirSync(place);
  fillPathFolder(place, {
    kubectl: join(binaries, "kubectl"),
    plugin: inRepository("dist", "kubectl-virt_advisor"),
  });
  return place;
}

/** Returns the commands in a text, with values for the placeholders. */
export function hintsIn(printed: string, namespace = "default"): readonly string[] {
  return [...printed.matchAll(/(?:: |, or )((?:kubectl|oc|virtctl) .*?)(?=, | to see |\.?$)/gmu)].map(([, hint = ""]) =>
    hint.replace("KEY=VALUE", "mode=Predictive").replace("NAMESPACE", namespace),
  );
}

/** Success, changes need a review, a user must act, unchecked inputs, Ctrl-C. */
export const acceptedCodes: readonly (number | null)[] = [0, 2, 6, 7, 130];
