import type { ApiUser, Server } from "@virt/testkit";
import { bindRole, createRole, untilGranted } from "./rights-cluster.ts";

/** Cluster-wide. Default: patch. */
export type Permissions = { readonly group: string; readonly resource: string; readonly verbs?: readonly string[] };

/** Creates a user with these rights, and returns after they take effect. */
export async function person(server: Server, name: string, rules: readonly Permissions[]): Promise<ApiUser> {
  const granted = rules.map(({ group, resource, verbs = ["patch"] }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs,
  }));
  await createRole(server, name, granted);
  await bindRole(server, name, name);
  const somebody = server.user(name);
  const last = rules.at(-1) as Permissions;
  const resourceAttributes = { group: last.group, resource: last.resource, verb: (last.verbs ?? ["patch"])[0] };
  await untilGranted(somebody, { resourceAttributes });
  return somebody;
}
