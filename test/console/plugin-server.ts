// Runs the shipped plugin server with a certificate like that of OpenShift's service CA.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { issueAuthority, issueServer } from "@virt/kube";
import { inRepository } from "@virt/testkit";

export type PluginServer = {
  readonly port: number;
  readonly authority: string;
  readonly end: () => Promise<number | null>;
};

export async function startPluginServer(): Promise<PluginServer> {
  const folder = mkdtempSync(join(tmpdir(), "virt-console-plugin-"));
  const validity = { from: new Date(Date.now() - 3_600_000), until: new Date(Date.now() + 86_400_000) };
  const authority = issueAuthority("service-ca", validity);
  const { certificate, key } = issueServer(authority, ["127.0.0.1"], validity);
  writeFileSync(join(folder, "tls.crt"), certificate);
  writeFileSync(join(folder, "tls.key"), key);
  const program = inRepository("dist", "virt-console-plugin.mjs");
  const child = spawn(process.execPath, [program, "--bind-address=127.0.0.1:0", `--cert-dir=${folder}`], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {},
  });
  const exited = new Promise<number | null>((resolve) => void child.once("exit", resolve));
  const lines: string[] = [];
  const listening = new Promise<number>((resolve) => {
    createInterface(child.stderr).on("line", (line) => {
      lines.push(line);
      const [, port] = /files on port (\d+)$/.exec(line) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
  });
  const port = await Promise.race([
    listening,
    exited.then(() => Promise.reject(new Error(`the server ended: ${lines.join("; ")}`))),
  ]);
  return {
    port,
    authority: authority.certificate,
    end: async () => {
      child.kill("SIGTERM");
      const code = await exited;
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}
