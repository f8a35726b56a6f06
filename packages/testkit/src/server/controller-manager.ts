// Starts kube-controller-manager with the controllers that need no nodes.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { controllerManagerName } from "../binaries/binary-cache.ts";
import { findControllerManager } from "../binaries/controller-manager.ts";
import { controlPlaneFiles } from "./control-plane.ts";
import type { Server } from "./server.ts";
import { type KeptProcesses, startKeptProcesses } from "./start-keeper.ts";

const controllers = [
  "clusterrole-aggregation-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "root-ca-certificate-publisher-controller",
  "serviceaccount-controller",
  "serviceaccount-token-controller",
] as const;

const readyTimeoutMs = 60_000;

/** Adds the end of the controllers to `stop`. Resolves when they are running. Stops the server if they cannot start. */
export async function withControllerManager(server: Server, outlivesOwner: boolean): Promise<Server> {
  try {
    const manager = await startControllerManager(server, outlivesOwner);
    const stop = async () => {
      await manager.end();
      await server.stop();
    };
    return { ...server, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function startControllerManager(server: Server, outlivesOwner: boolean): Promise<KeptProcesses> {
  const command = await findControllerManager(process.env);
  if (command === undefined)
    throw new Error("no kube-controller-manager on this machine yet: run `make controller-manager` once");
  const at = (name: string) => join(server.folder, name);
  const args = Object.entries({
    kubeconfig: server.user("system:kube-controller-manager").kubeconfig,
    controllers: controllers.join(","),
    "root-ca-file": at(controlPlaneFiles.authority),
    "service-account-private-key-file": at(controlPlaneFiles.tokenSigningKey),
    "use-service-account-credentials": "true", // own RBAC for each controller, as in a cluster
    "leader-elect": "false",
    "secure-port": "0",
  }).map(([name, value]) => `--${name}=${value}`);
  const kept = await startKeptProcesses([{ name: controllerManagerName, command, args }], outlivesOwner);
  const failure = await readinessFailure(kept, server);
  if (failure === undefined) return kept;
  const log = readFileSync(join(kept.folder, `${controllerManagerName}.log`), "utf8");
  await kept.end();
  throw new Error(
    `${controllerManagerName} did not start: ${failure}\n${log.trimEnd().split("\n").slice(-8).join("\n")}`,
  );
}

/** There is no health endpoint, so the first published objects show that it is running. */
async function readinessFailure({ failure }: KeptProcesses, server: Server): Promise<string | undefined> {
  const published = ["configmaps/kube-root-ca.crt", "serviceaccounts/default"];
  const deadline = AbortSignal.timeout(readyTimeoutMs);
  const failed = failure.then((why) => ({ why }));
  const asked = async () => {
    const paths = published.map((name) => `/api/v1/namespaces/default/${name}`);
    const answers = await Promise.all(paths.map((path) => server.request({ path })));
    return { isReady: answers.every(({ status }) => status === 200) };
  };
  while (!deadline.aborted) {
    const answer = await Promise.race([failed, asked()]);
    if ("why" in answer) return answer.why;
    if (answer.isReady) return undefined;
    await wait(50);
  }
  return `nothing published after ${readyTimeoutMs / 1000} s`;
}
