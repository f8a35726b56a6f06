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

export async function operatorAccount(server: Server, controller: ControllerName) {
  const { namespace, name } = placeOf(controller);
  const account = await server.serviceAccount(namespace, name);
  const shipped = ["rbac", "admission"].map((part) => inRepository("config", part, controller));
  const outputs = await Promise.all(shipped.map((folder) => server.kubectl("apply", "--server-side", "-k", folder)));
  const failed = outputs.find(({ code }) => code !== 0);
  if (failed !== undefined) throw new Error(failed.stderr);
  return account;
}

/** Applies manifests as `kubectl apply -f` does, from text. */
export async function applied(server: Server, manifests: string): Promise<void> {
  const folder = await mkdtemp(join(server.folder, "manifests-"));
  await writeFile(join(folder, "all.yaml"), manifests);
  const output = await server.kubectl("apply", "-f", folder);
  if (output.code !== 0) throw new Error(output.stderr);
}
