// A second API server beside the first, on the same etcd: a test restarts it while everything else goes on with the first.

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts, type KeptProcesses, type Server, startKeptProcesses } from "@virt/testkit";

export type SecondApiServer = {
  /** The administrator's, for this one. */
  readonly kubeconfig: string;
  /** On the same port each time; settles before it is ready. */
  readonly start: () => Promise<void>;
  readonly end: () => Promise<void>;
};

/** Not started yet. */
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

/** Of the first one. */
function commandLine({ pids }: Server): readonly string[] {
  const lines = pids.map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1));
  return lines.find(([command = ""]) => command.endsWith("kube-apiserver")) ?? [];
}
