// `make deploy` and `make undeploy`: the operators' own objects, all of them and no other.

import { setTimeout as wait } from "node:timers/promises";
import { startProgress } from "../progress.ts";
import { apply, configNames } from "./install.ts";
import type { Cluster } from "./kubectl.ts";
import { appliedObjects } from "./left-behind.ts";
import { inOneText, type Manifest, manifestsOf, withImage } from "./manifests.ts";

export type Wishes = { readonly overlay: string; readonly image: string };

const patienceMs = 120_000;

export async function deploy(cluster: Cluster, { overlay, image }: Wishes): Promise<void> {
  const manifests = manifestsOf(cluster, overlay);
  await untilGone(cluster, manifests.filter(isNamespace));
  cluster.show([...apply, "--filename", "-"], withImage(inOneText(manifests), image));
}

/** An earlier undeploy may still be at work, and nothing can be made in a namespace that ends. */
async function untilGone(cluster: Cluster, namespaces: readonly Manifest[]): Promise<void> {
  const phase = "--output=jsonpath={.items[?(@.status.phase=='Terminating')].metadata.name}";
  const ending = () => {
    const names = cluster.ask("get", "namespaces", phase).split(" ");
    return namespaces.map(({ name }) => name).filter((name) => names.includes(name));
  };
  if (ending().length === 0) return;
  const progress = startProgress("an earlier undeploy ends", process.stderr);
  const deadline = AbortSignal.timeout(patienceMs);
  while (ending().length > 0) {
    if (deadline.aborted) {
      progress.fail();
      throw new Error(
        `the namespaces ${ending().join(", ")} do not end: kubectl get namespace says what is left in them`,
      );
    }
    progress.update(ending().join(", "));
    await wait(500); // polls for the state
  }
  progress.done("");
}

export function undeploy(cluster: Cluster, overlay: string): void {
  const ours = manifestsOf(cluster, overlay).filter(({ kind }) => kind !== "CustomResourceDefinition");
  // The operators end before their rights do, and the namespaces last: the cluster needs a while to empty them.
  const first = ours.filter(({ kind }) => kind === "Deployment");
  const last = ours.filter(isNamespace);
  const others = ours.filter((one) => !first.includes(one) && !last.includes(one));
  cluster.show(["delete", "--ignore-not-found", "--filename", "-"], inOneText([...first, ...others]));
  cluster.show(["delete", "--ignore-not-found", "--wait=false", "--filename", "-"], inOneText(last));
  process.stdout.write(`${remainder(cluster).join("\n")}\n`);
}

function remainder(cluster: Cluster): readonly string[] {
  const names = configNames(cluster);
  const configs = names.length === 0 ? [] : [`  the CRD with its configs, until make uninstall: ${names.join(", ")}`];
  const applied = appliedObjects(cluster).map((object) => `  ${object}`);
  if (configs.length + applied.length === 0) return ["Nothing of the operators stays."];
  return ["What stays, as it is:", ...configs, ...applied];
}

function isNamespace({ kind }: Manifest): boolean {
  return kind === "Namespace";
}
