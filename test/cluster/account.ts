// The ServiceAccount of a controller, with the rights and the admission policies that it ships with.

import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inRepository, type Server } from "@virt/testkit";

export type ControllerName = "advisor" | "platform";

const placeOf = (controller: ControllerName) => ({
  namespace: `virt-${controller}-operator-system`,
  name: `virt-${controller}-operator-controller-manager`,
});

/** As the audit log calls it. */
export function accountName(controller: ControllerName): string {
  const { namespace, name } = placeOf(controller);
  return `system:serviceaccount:${namespace}:${name}`;
}

/** `release` is the folder of the tree whose manifests are applied; this one unless said otherwise. */
export async function operatorAccount(server: Server, controller: ControllerName, release = inRepository()) {
  await grantRights(server, controller, release);
  return openAccount(server, controller);
}

/** Where its rights have been granted already. */
export function openAccount(server: Server, controller: ControllerName) {
  const { namespace, name } = placeOf(controller);
  return server.serviceAccount(namespace, name);
}

/** Makes its account as well. */
export async function grantRights(server: Server, controller: ControllerName, release = inRepository()): Promise<void> {
  await openAccount(server, controller);
  const shipped = ["rbac", "admission"].map((part) => join(release, "config", part, controller));
  const outputs = await Promise.all(shipped.map((folder) => server.kubectl("apply", "--server-side", "-k", folder)));
  const failed = outputs.find(({ code }) => code !== 0);
  if (failed !== undefined) throw new Error(failed.stderr);
}

/** Applies manifests as `kubectl apply -f` does, from text. */
export async function applyManifests(server: Server, manifests: string): Promise<void> {
  const folder = await mkdtemp(join(server.folder, "manifests-"));
  await writeFile(join(folder, "all.yaml"), manifests);
  const output = await server.kubectl("apply", "-f", folder);
  if (output.code !== 0) throw new Error(output.stderr);
}
