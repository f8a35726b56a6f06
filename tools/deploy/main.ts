// The targets of make that install, deploy and ship: `node tools/deploy/main.ts <target>`.

import { deploy, undeploy } from "./deploy.ts";
import { buildImage, buildImages, pushImage } from "./image.ts";
import { install, uninstall } from "./install.ts";
import { setUpKind } from "./kind.ts";
import { openCluster } from "./kubectl.ts";
import { deployLocally, showLogs } from "./local.ts";

const { OVERLAY: overlay = "default", IMG: image = "controller:latest" } = process.env;

const targets: Readonly<Record<string, () => void | Promise<void>>> = {
  install: () => install(openCluster()),
  uninstall: () => uninstall(openCluster()),
  deploy: () => deploy(openCluster(), { overlay, image }),
  undeploy: () => undeploy(openCluster(), overlay),
  "docker-build": () => buildImage(image),
  "docker-push": () => pushImage(image),
  "docker-buildx": () => buildImages(image),
  "kind-setup": setUpKind,
  "deploy-local": () => deployLocally(overlay),
  "logs-local": () => showLogs(overlay),
};

try {
  const [name = ""] = process.argv.slice(2);
  const work = targets[name];
  if (work === undefined) throw new Error(`"${name}" is not one of: ${Object.keys(targets).join(", ")}`);
  await work();
} catch (error) {
  process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
