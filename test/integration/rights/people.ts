import type { ApiUser, Server } from "@virt/testkit";
import { expect, vi } from "vitest";
import { bindRole, createRole } from "./rights-cluster.ts";

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
  const attributes = { group: last.group, resource: last.resource, verb: (last.verbs ?? ["patch"])[0] };
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview" };
  const isGranted = async () => {
    const { body } = await somebody.request({
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      body: { ...review, spec: { resourceAttributes: attributes } },
    });
    expect(body).toMatchObject({ status: { allowed: true } });
  };
  await vi.waitFor(isGranted, { timeout: 120_000, interval: 50 });
  return somebody;
}
