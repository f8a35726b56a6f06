// Commands as a user pastes them into a shell with the demo's PATH folder: plugin, kubectl, and stand-ins for oc and virtctl.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { inRepository, type Server } from "@virt/testkit";
import { fillPathFolder } from "../../../tools/demo/path-folder.ts";

export type PastedCommand = { readonly code: number | null; readonly printed: string };

/** Ctrl-C ends a command that watches or serves, once it has printed something. An editor changes nothing. */
export function pasteCommand(command: string, server: Server): Promise<PastedCommand> {
  const path = [pathFolder(server), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const child = spawn("sh", ["-c", `exec ${command}`], {
    env: { PATH: path, HOME: server.folder, KUBECONFIG: server.kubeconfig, KUBE_EDITOR: "true" },
  });
  child.stdin.end();
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      printed += text.toString();
      if (/ (?:--watch|console)$/u.test(command) && !child.killed) child.kill("SIGINT");
    });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, printed })));
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

/** The commands in a printed text, with values for the placeholders. */
export function hintsIn(printed: string, namespace = "default"): readonly string[] {
  return [...printed.matchAll(/(?:: |, or )((?:kubectl|oc|virtctl) .*?)(?=, | to see |\.?$)/gmu)].map(([, hint = ""]) =>
    hint.replace("KEY=VALUE", "mode=Predictive").replace("NAMESPACE", namespace),
  );
}

/** Done, changes wait for a review, a person must act, something was not checked, Ctrl-C. */
export const acceptedCodes: readonly (number | null)[] = [0, 2, 6, 7, 130];
