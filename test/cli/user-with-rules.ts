import type { ApiUser, Server } from "@virt/testkit";

export type Rule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
};

const apiGroup = "rbac.authorization.k8s.io";

/** Returns a user with these rights in the whole cluster, or only in `namespace`. */
export async function userWithRules(
  server: Server,
  name: string,
  rules: readonly Rule[],
  namespace?: string,
): Promise<ApiUser> {
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const folder = namespace === undefined ? "" : `namespaces/${namespace}/`;
  const create = (plural: string, body: object) => {
    const path = `/apis/${apiGroup}/v1/${folder}${plural}`;
    return server.request({ method: "POST", path, body: { metadata: { name }, ...body } });
  };
  await create(`${kind.toLowerCase()}s`, { rules });
  const subjects = [{ apiGroup, kind: "User", name }];
  await create(`${kind.toLowerCase()}bindings`, { roleRef: { apiGroup, kind, name }, subjects });
  return server.user(name);
}
