// `make deploy-local`, `redeploy-local` and `logs-local`: run the operators on the development cluster.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DevCluster, recorded } from "../dev/record.ts";
import { deploy } from "./deploy.ts";
import { neededEngine } from "./engine.ts";
import { buildImage, run } from "./image.ts";
import { withProvider } from "./kind.ts";
import { openCluster } from "./kubectl.ts";
import { controllersOf } from "./manifests.ts";
import { startProcesses } from "./processes.ts";
import { deploymentsOf, waitForRollout } from "./rollout.ts";

const image = "localhost/virt-operators:local";
const rolloutTimeoutMs = 300_000;

export async function deployLocally(overlay: string): Promise<void> {
  const local = neededCluster();
  const cluster = openCluster(local);
  if (local.kind !== undefined) loadImage(local.kind);
  await deploy(cluster, { overlay, image });
  if (local.kind === undefined) return startProcesses(cluster, local, overlay);
  // Restarts the pods, because the new image has the same name.
  for (const { name, namespace } of deploymentsOf(overlay))
    cluster.show(["rollout", "restart", `deployment/${name}`, `--namespace=${namespace}`]);
  await waitForRollout(cluster, overlay, rolloutTimeoutMs);
}

export function showLogs(overlay: string): void {
  const local = neededCluster();
  if (local.kind !== undefined) {
    const selector = ["--selector=control-plane=controller-manager", "--all-containers", "--prefix", "--tail=-1"];
    for (const controller of controllersOf(overlay)) {
      openCluster(local).show(["logs", `--namespace=virt-${controller}-operator-system`, ...selector]);
    }
    return;
  }
  const files = controllersOf(overlay).map((controller) => `${local.operators?.folder}/${controller}.log`);
  const there = files.filter((file) => existsSync(file));
  if (there.length === 0) throw new Error("no operator is running: run make deploy-local first");
  run("tail", ["-n", "+1", ...there]);
}

function neededCluster(): DevCluster {
  const cluster = recorded();
  if (cluster === undefined) throw new Error("no local cluster found: run make kind-setup first");
  return cluster;
}

/** Loads the image from a file, because Kind itself supports only docker. */
function loadImage({ name, engine }: NonNullable<DevCluster["kind"]>): void {
  buildImage(image);
  const folder = mkdtempSync(join(tmpdir(), "image-"));
  try {
    const archive = join(folder, "image.tar");
    run(neededEngine(engine), ["save", "--output", archive, image]);
    run("kind", ["load", "image-archive", archive, "--name", name], withProvider(engine));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
