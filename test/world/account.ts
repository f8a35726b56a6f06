// The ServiceAccount of a controller, with the role that is generated for it and nothing else.

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
  const output = await server.kubectl("apply", "-f", inRepository("config", "rbac", `${controller}_role.yaml`));
  if (output.code !== 0) throw new Error(output.stderr);
  const subject = `subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${namespace}}]`;
  const roles = [
    ["ClusterRoleBinding", "ClusterRole", `virt-${controller}-operator-manager-role`],
    ["RoleBinding", "Role", `virt-${controller}-operator-leader-election-role`],
  ];
  const bindings = roles.map(
    ([binding, role, named]) =>
      `apiVersion: rbac.authorization.k8s.io/v1
kind: ${binding}
metadata: {name: ${named}, namespace: ${namespace}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ${role}, name: ${named}}
${subject}
`,
  );
  await applied(server, bindings.join("---\n"));
  return account;
}

/** Applies manifests as `kubectl apply -f` does, from text. */
export async function applied(server: Server, manifests: string): Promise<void> {
  const folder = await mkdtemp(join(server.folder, "manifests-"));
  await writeFile(join(folder, "all.yaml"), manifests);
  const output = await server.kubectl("apply", "-f", folder);
  if (output.code !== 0) throw new Error(output.stderr);
}
