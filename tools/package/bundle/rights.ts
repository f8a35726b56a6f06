// Converts our accounts' permissions to the CSV, from which OLM creates accounts, roles and bindings.

import { asList, asText, at, type Json, type KubeObject } from "@virt/objects";

export type Permission = { readonly serviceAccountName: string; readonly rules: readonly Json[] };

export type Rights = {
  readonly clusterPermissions: readonly Permission[];
  readonly permissions: readonly Permission[];
  readonly folded: readonly KubeObject[];
};

export function rightsOf(objects: readonly KubeObject[]): Rights {
  const accounts = objects.filter(({ kind }) => kind === "ServiceAccount");
  const isOurs = (account: string) => accounts.some(({ metadata }) => metadata.name === account);
  const bindings = objects
    .filter(({ kind }) => kind === "ClusterRoleBinding" || kind === "RoleBinding")
    .map((binding) => ({ binding, account: accountOf(binding), role: roleOf(binding, objects) }))
    .filter(({ account }) => isOurs(account));
  const granted = (kind: string) =>
    bindings.flatMap(({ binding, account, role }) =>
      binding.kind === kind ? [{ serviceAccountName: account, rules: asList(at(role, "rules")) }] : [],
    );
  return {
    clusterPermissions: granted("ClusterRoleBinding"),
    permissions: granted("RoleBinding"),
    folded: [...accounts, ...bindings.flatMap(({ binding, role }) => [binding, role])],
  };
}

function accountOf(binding: KubeObject): string {
  return asText(at(asList(at(binding, "subjects"))[0], "name")) ?? "";
}

function roleOf(binding: KubeObject, objects: readonly KubeObject[]): KubeObject {
  const { namespace } = binding.metadata;
  const [kind, name] = [at(binding, "roleRef", "kind"), at(binding, "roleRef", "name")];
  const isBound = (role: KubeObject) =>
    role.kind === kind &&
    role.metadata.name === name &&
    (kind === "ClusterRole" || role.metadata.namespace === namespace);
  const role = objects.find(isBound);
  if (role === undefined) throw new Error(`${binding.kind} ${binding.metadata.name} binds a role that is not there`);
  return role;
}
