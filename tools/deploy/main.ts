// The make targets that install, deploy and ship: `node tools/deploy/main.ts <target>`.

import { pinBaseImages } from "./base-images.ts";
import { deploy, undeploy } from "./deploy.ts";
import { buildImage, buildImages, pushImage } from "./image.ts";
import { install, uninstall } from "./install.ts";
import { setUpKind } from "./kind.ts";
import { openCluster } from "./kubectl.ts";
import { deployLocally, showLogs } from "./local.ts";
import { waitForRollout } from "./rollout.ts";

const { OVERLAY: overlay = "default", IMG: image = "controller:latest", WAIT: patience = "300" } = process.env;

const targets: Readonly<Record<string, () => void | Promise<void>>> = {
  install: () => install(openCluster()),
  uninstall: () => uninstall(openCluster()),
  deploy: deployImage,
  undeploy: () => undeploy(openCluster(), overlay),
  "docker-build": () => buildImage(image),
  "base-images": () => pinBaseImages(),
  "docker-push": () => pushImage(image),
  "docker-buildx": () => buildImages(image),
  "kind-setup": setUpKind,
  "deploy-local": () => deployLocally(process.env["OVERLAY"] ?? "example-profile"),
  "logs-local": () => showLogs(overlay),
};

/** Requires IMG, because the image name in the manifests is in no registry. */
async function deployImage(): Promise<void> {
  const { IMG: given = "" } = process.env;
  if (given === "") {
    throw new Error(
      [
        "IMG is not set. Name the image to deploy: make deploy IMG=<registry>/virt-operators:<tag>",
        "  To build and push it first, run: make docker-build docker-push IMG=<registry>/virt-operators:<tag>",
        "  To try it without an image, run: make dev-setup, then make deploy-local",
      ].join("\n"),
    );
  }
  const seconds = Number(patience);
  if (!(seconds >= 0)) throw new Error(`WAIT=${patience}: must be a number of seconds; 0 disables waiting`);
  const cluster = openCluster();
  await deploy(cluster, { overlay, image: given });
  if (seconds > 0) await waitForRollout(cluster, overlay, seconds * 1000);
}

try {
  const [name = ""] = process.argv.slice(2);
  const work = targets[name];
  if (work === undefined)
    throw new Error(`unknown target "${name}"; must be one of: ${Object.keys(targets).join(", ")}`);
  await work();
} catch (error) {
  process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
