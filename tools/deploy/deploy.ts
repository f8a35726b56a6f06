// `make deploy` and `make undeploy`: install and remove all of the operators' own objects, and nothing else.

import { setTimeout as wait } from "node:timers/promises";
import { findAccess } from "@virt/kube";
import { endKeepers, record, recorded, recordedServer } from "../dev/record.ts";
import { startProgress } from "../progress.ts";
import { apply, configNames, isCrdInstalled } from "./install.ts";
import type { Cluster } from "./kubectl.ts";
import { appliedObjects } from "./left-behind.ts";
import { controllersOf, inOneText, type Manifest, manifestsOf, removableManifests, withImage } from "./manifests.ts";

export type DeployOptions = { readonly overlay: string; readonly image: string };

const patienceMs = 120_000;

export async function deploy(cluster: Cluster, { overlay, image }: DeployOptions): Promise<void> {
  const manifests = manifestsOf(cluster, overlay);
  await untilGone(cluster, manifests.filter(isNamespace));
  cluster.show([...apply, "--filename", "-"], withImage(inOneText(manifests), image));
}

/** Waits for an earlier undeploy, because a terminating namespace accepts no objects. */
async function untilGone(cluster: Cluster, namespaces: readonly Manifest[]): Promise<void> {
  const phase = "--output=jsonpath={.items[?(@.status.phase=='Terminating')].metadata.name}";
  const ending = () => {
    const names = cluster.ask("get", "namespaces", phase).split(" ");
    return namespaces.map(({ name }) => name).filter((name) => names.includes(name));
  };
  if (ending().length === 0) return;
  const progress = startProgress("wait for an earlier undeploy to finish", process.stderr);
  const deadline = AbortSignal.timeout(patienceMs);
  while (ending().length > 0) {
    if (deadline.aborted) {
      progress.fail();
      throw new Error(
        `the namespaces ${ending().join(", ")} are still terminating. To see what is left in them, run: kubectl get namespace -o yaml`,
      );
    }
    progress.update(ending().join(", "));
    await wait(500);
  }
  progress.done("");
}

export async function undeploy(cluster: Cluster, overlay: string): Promise<void> {
  await endLocalProcesses();
  const ours = removableManifests(cluster, overlay).filter(({ kind }) => kind !== "CustomResourceDefinition");
  // Stops the operators before it removes their permissions. Deletes the namespaces last, because emptying them is
  // slow.
  const first = ours.filter(({ kind }) => kind === "Deployment");
  const last = ours.filter(isNamespace);
  const others = ours.filter((one) => !first.includes(one) && !last.includes(one));
  cluster.show(["delete", "--ignore-not-found", "--filename", "-"], inOneText([...first, ...others]));
  cluster.show(["delete", "--ignore-not-found", "--wait=false", "--filename", "-"], inOneText(last));
  process.stdout.write(`${describeRemainder(cluster, overlay).join("\n")}\n`);
}

/** On a simulated cluster the operators are local processes. */
async function endLocalProcesses(): Promise<void> {
  const local = recorded();
  if (local?.operators === undefined || !isRecordedCluster()) return;
  await endKeepers([local.operators.keeper]);
  const { operators: _ended, ...rest } = local;
  record(rest);
  process.stdout.write("Stopped the operators that make deploy-local had started.\n");
}

/** Reports whether kubectl's current context is the cluster of make kind-setup or dev-setup. */
function isRecordedCluster(): boolean {
  return findAccess({ env: process.env, isPersonal: true }).server === recordedServer()?.server;
}

function describeRemainder(cluster: Cluster, overlay: string): readonly string[] {
  const lines = [...otherControllers(cluster, overlay), ...describeCrd(cluster), ...appliedObjects(cluster)];
  if (lines.length === 0) return ["All objects of the operators were removed."];
  return ["Left unchanged in the cluster:", ...lines.map((line) => `  ${line}`)];
}

/** Returns controllers that the overlay does not include and that may still run. */
function otherControllers(cluster: Cluster, overlay: string): readonly string[] {
  const removed = controllersOf(overlay);
  return controllersOf("default")
    .filter((controller) => !removed.includes(controller))
    .flatMap((controller) => {
      const deployment = `deployment/virt-${controller}-operator-controller-manager`;
      const namespace = `--namespace=virt-${controller}-operator-system`;
      const found = cluster.ask("get", deployment, namespace, "--ignore-not-found", "--output=name");
      return found === "" ? [] : [`the ${controller} controller (to remove it: make undeploy OVERLAY=${controller})`];
    });
}

function describeCrd(cluster: Cluster): readonly string[] {
  if (!isCrdInstalled(cluster)) return [];
  const names = configNames(cluster);
  if (names.length === 0) return ["the CRD without configs (to remove it: make uninstall)"];
  return [`the CRD and the configs ${names.join(", ")} (to remove them: make uninstall)`];
}

function isNamespace({ kind }: Manifest): boolean {
  return kind === "Namespace";
}
