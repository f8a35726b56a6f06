// Creates a controller's ServiceAccount with its shipped rights and admission policies.

import { randomUUID } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { inRepository, type Server } from "@virt/testkit";
import { expect, vi } from "vitest";
import { exampleRights } from "./example-profile.ts";

export type ControllerName = "advisor" | "platform";

const admission = "/apis/admissionregistration.k8s.io/v1";
const policyKinds = ["validatingadmissionpolicybindings", "validatingadmissionpolicies"];

const placeOf = (controller: ControllerName) => ({
  namespace: `virt-${controller}-operator-system`,
  name: `virt-${controller}-operator-controller-manager`,
});

export function accountName(controller: ControllerName): string {
  const { namespace, name } = placeOf(controller);
  return `system:serviceaccount:${namespace}:${name}`;
}

/**
 * Installs the controller's shipped objects and waits until its policies are enforced. `release` is the source tree of
 * the manifests. Default: this one.
 */
export async function operatorAccount(server: Server, controller: ControllerName, release = inRepository()) {
  const before = await policyVersions(server);
  await grantRights(server, controller, release);
  if (!isDeepStrictEqual(await policyVersions(server), before)) await untilPoliciesEnforced(server);
  return openAccount(server, controller);
}

type Listed = {
  readonly items: readonly { readonly metadata: { readonly uid: string; readonly resourceVersion: string } }[];
};

/** Returns the versions of all policies, because an updated policy is enforced only after a delay. */
async function policyVersions(server: Server): Promise<readonly string[]> {
  const lists = await Promise.all(policyKinds.map((plural) => server.request({ path: `${admission}/${plural}` })));
  return lists.flatMap(({ body }) =>
    (body as Listed).items.map(({ metadata: { uid, resourceVersion } }) => `${uid} ${resourceVersion}`),
  );
}

/** Opens an account. Its permissions must already be granted. */
export function openAccount(server: Server, controller: ControllerName) {
  const { namespace, name } = placeOf(controller);
  return server.serviceAccount(namespace, name);
}

/** Also creates the account. The advisor gets the rights of example-profile unless `hasExampleProfile` is false. */
export async function grantRights(
  server: Server,
  controller: ControllerName,
  release = inRepository(),
  hasExampleProfile = true,
): Promise<void> {
  await openAccount(server, controller);
  const shipped = [
    ...["rbac", "admission"].map((part) => join(release, "config", part, controller)),
    ...(controller === "advisor" && hasExampleProfile ? exampleRights(release) : []),
  ];
  const outputs = await Promise.all(shipped.map((folder) => server.kubectl("apply", "--server-side", "-k", folder)));
  const failed = outputs.find(({ code }) => code !== 0);
  if (failed !== undefined) throw new Error(failed.stderr);
}

export async function applyManifests(server: Server, manifests: string): Promise<void> {
  const folder = await mkdtemp(join(server.folder, "manifests-"));
  await writeFile(join(folder, "all.yaml"), manifests);
  const output = await server.kubectl("apply", "-f", folder);
  if (output.code !== 0) throw new Error(output.stderr);
}

/**
 * Waits until the API server enforces all stored admission policies. It reloads all policies together, about once a
 * second (policy_source.go in apiserver 1.37). This stores one more policy and waits until that one is enforced.
 */
export async function untilPoliciesEnforced(server: Server): Promise<void> {
  const name = `probe-${randomUUID()}`;
  const kind = "ValidatingAdmissionPolicy";
  const resourceRules = [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"], resourceNames: [name] },
  ];
  const validations = [{ expression: "false", message: name }];
  const probe = [
    { kind, spec: { matchConstraints: { resourceRules }, validations } },
    { kind: `${kind}Binding`, spec: { policyName: name, validationActions: ["Deny"] } },
  ].map((part) => JSON.stringify({ apiVersion: "admissionregistration.k8s.io/v1", metadata: { name }, ...part }));
  await applyManifests(server, probe.join("\n---\n"));
  const isDenied = async () => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
    const path = "/api/v1/namespaces/default/configmaps?dryRun=All";
    const answer = await server.request({ method: "POST", path, body });
    expect(JSON.stringify(answer.body)).toContain(`${kind} '${name}'`);
  };
  await vi.waitFor(isDenied, { timeout: 120_000, interval: 50 });
  for (const plural of policyKinds) await server.request({ method: "DELETE", path: `${admission}/${plural}/${name}` });
}
