// Runs a second API server on the same etcd, so that a test can restart it.

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts, type KeptProcesses, type Server, startKeptProcesses } from "@virt/testkit";

export type SecondApiServer = {
  readonly kubeconfig: string;
  /** Uses the same port each time. Settles before the server is ready. */
  readonly start: () => Promise<void>;
  readonly end: () => Promise<void>;
};

export async function prepareSecondApiServer(server: Server): Promise<SecondApiServer> {
  const [port = 0] = await freePorts(1);
  const [command = "", ...flags] = commandLine(server);
  const changed = new Map([
    ["--secure-port", `${port}`],
    ["--audit-log-path", join(server.folder, "second-audit.log")],
  ]);
  const args = flags.map((flag) => {
    const [name = ""] = flag.split("=");
    const value = changed.get(name);
    return value === undefined ? flag : `${name}=${value}`;
  });
  const kubeconfig = join(server.folder, "second.kubeconfig");
  copyFileSync(server.kubeconfig, kubeconfig);
  const ports = [new URL(server.url).port, `${port}`] as const;
  writeFileSync(kubeconfig, readFileSync(kubeconfig, "utf8").replaceAll(...ports));
  let running: KeptProcesses | undefined;
  return {
    kubeconfig,
    start: async () => {
      running = await startKeptProcesses([{ name: "second-kube-apiserver", command, args }], false);
    },
    end: async () => {
      await running?.end();
      running = undefined;
    },
  };
}

function commandLine({ pids }: Server): readonly string[] {
  const lines = pids.map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1));
  return lines.find(([command = ""]) => command.endsWith("kube-apiserver")) ?? [];
}
