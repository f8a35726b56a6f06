// Changes the advisor's rights while it runs.

import type { Server } from "@virt/testkit";
import { expect } from "vitest";
import { accountName } from "./account.ts";
import { edit, readAt } from "./advisor.ts";
import { create } from "./advisor-objects.ts";

export type Rule = {
  readonly apiGroups: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
};

type Access = { readonly group: string; readonly resource: string; readonly verb: string; readonly namespace?: string };

export const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
export const managerRole = `${roles}/virt-advisor-operator-manager-role`;

/** Returns the earlier rules. */
export async function changeRules(
  server: Server,
  role: string,
  change: (rules: readonly Rule[]) => readonly Rule[],
): Promise<readonly Rule[]> {
  const { rules } = (await readAt(server, role)) as unknown as { readonly rules: readonly Rule[] };
  await edit(server, role, { rules: change(rules) });
  return rules;
}

/** Waits until the API server allows, or denies, the advisor the access to the object `cluster`. */
export async function untilAllowed(server: Server, access: Access, isAllowed: boolean): Promise<void> {
  const spec = { user: accountName("advisor"), resourceAttributes: { ...access, name: "cluster" } };
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: { name: "" }, spec };
  const review = async () =>
    (await create(server, "/apis/authorization.k8s.io/v1/subjectaccessreviews", body))["status"];
  await expect.poll(review).toMatchObject({ allowed: isAllowed });
}
