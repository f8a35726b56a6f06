// An API server with the shipped roles and admission policies, and the accounts of both operators.

import { type ApiResponse, type ApiUser, borrowServer, inRepository, type Server } from "@virt/testkit";
import { expect, vi } from "vitest";
import { mockFiles } from "../../../tools/demo/mocks.ts";
import {
  applyManifests,
  type ControllerName,
  grantRights,
  openAccount,
  untilPoliciesEnforced,
} from "../../support/account.ts";
import { crdFile } from "../crd-objects.ts";

export type RightsCluster = {
  readonly server: Server;
  readonly accounts: Readonly<Record<ControllerName, ApiUser>>;
};

const namespaces = [
  "elsewhere",
  "openshift-cnv",
  "openshift-kube-descheduler-operator",
  "openshift-mtv",
  "metallb-system",
];

export async function startRightsCluster(): Promise<RightsCluster> {
  const server = await borrowServer({ name: "all that is shipped", prepare: installShipped });
  const accounts = {
    advisor: await openAccount(server, "advisor"),
    platform: await openAccount(server, "platform"),
  };
  await Promise.all([
    untilDenied(accounts.advisor, otherLease("virt-advisor-operator"), "virt-advisor-operator-writes"),
    untilDenied(accounts.platform, otherLease("virt-platform-operator"), "virt-platform-operator-writes"),
    untilPoliciesEnforced(server),
  ]);
  return { server, accounts };
}

async function installShipped(server: Server): Promise<void> {
  await server.installCrds([crdFile, ...mockFiles()]);
  await applyManifests(server, namespaces.map((name) => manifest("v1", "Namespace", { name })).join("---\n"));
  await grantRights(server, "advisor");
  await grantRights(server, "platform");
  await applyFolder(server, "admission");
  await applyFolder(server, "rbac", "people");
}

/** Fails on errors and on warnings. */
export async function applyFolder(server: Server, ...parts: readonly string[]): Promise<void> {
  const output = await server.kubectl("apply", "--server-side", "-k", inRepository("config", ...parts));
  expect(output).toMatchObject({ code: 0, stderr: "" });
}

/** A role allows an operator to create leases of any name, so that only the policy denies this. */
function otherLease(operator: string): Write {
  const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "other" } };
  return { method: "POST", path: `/apis/coordination.k8s.io/v1/namespaces/${operator}-system/leases`, body };
}

/** Waits until the policy is in force. */
export async function untilDenied(actor: ApiUser, write: Write, policy: string): Promise<void> {
  const check = async () => expect(messageOf(await dryRunWrite(actor, write))).toContain(`'${policy}'`);
  await vi.waitFor(check, { timeout: 120_000, interval: 50 });
}

export function manifest(apiVersion: string, kind: string, metadata: object, rest: object = {}): string {
  return `${JSON.stringify({ apiVersion, kind, metadata, ...rest })}\n`;
}

const rbac = "rbac.authorization.k8s.io";

export type Rule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
};

export async function createRole(server: Server, name: string, rules: readonly Rule[]): Promise<void> {
  const role = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules };
  await post(server, `/apis/${rbac}/v1/clusterroles`, role);
}

export async function bindRole(server: Server, user: string, role: string): Promise<void> {
  await post(server, `/apis/${rbac}/v1/clusterrolebindings`, {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: `${user}-${role}` },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
    subjects: [{ kind: "User", apiGroup: rbac, name: user }],
  });
}

async function post(server: Server, path: string, body: object): Promise<void> {
  expect(await server.request({ method: "POST", path, body })).toMatchObject({ status: 201 });
}

/** Waits until a new binding takes effect. */
export async function untilGranted(user: ApiUser, attributes: object): Promise<void> {
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const review = { method: "POST", path, body: { spec: attributes } } as const;
  const isGranted = async () => expect((await user.request(review)).body).toMatchObject({ status: { allowed: true } });
  await vi.waitFor(isGranted, { timeout: 120_000, interval: 50 });
}

export type Write = {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
};

export function dryRunWrite(actor: ApiUser, { path, ...write }: Write): Promise<ApiResponse> {
  return actor.request({ ...write, path: `${path}?dryRun=All` });
}

export function messageOf({ body }: ApiResponse): string {
  return (body as { readonly message?: string } | undefined)?.message ?? "";
}
