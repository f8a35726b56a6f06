// Creates the objects that plans read and write.

import { dirname } from "node:path/posix";
import type { JsonMap, KubeObject } from "@virt/api";
import type { ApiRequest, ApiUser } from "@virt/testkit";
import { paths } from "./advisor.ts";

/** Returns the body of the answer. */
export async function request(actor: ApiUser, sent: ApiRequest): Promise<KubeObject> {
  const { status, body } = await actor.request(sent);
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body as KubeObject;
}

export function create(actor: ApiUser, collection: string, body: KubeObject): Promise<KubeObject> {
  return request(actor, { method: "POST", path: collection, body });
}

export function createNamespace(actor: ApiUser, name: string): Promise<KubeObject> {
  return create(actor, "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

const descheduler = { apiVersion: "operator.openshift.io/v1", kind: "KubeDescheduler", metadata: { name: "cluster" } };

export function createDescheduler(actor: ApiUser, spec: JsonMap): Promise<KubeObject> {
  return create(actor, dirname(paths.descheduler), { ...descheduler, spec });
}

/** Applies fields of the descheduler as another field manager. */
export function applyDescheduler(actor: ApiUser, manager: string, spec: JsonMap): Promise<KubeObject> {
  const path = `${paths.descheduler}?fieldManager=${manager}`;
  const contentType = "application/apply-patch+yaml";
  return request(actor, { method: "PATCH", path, contentType, body: { ...descheduler, spec } });
}

export function createHco(actor: ApiUser, spec: JsonMap, namespace = "openshift-cnv"): Promise<KubeObject> {
  const metadata = { name: "kubevirt-hyperconverged", namespace };
  const body = { apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", metadata, spec };
  return create(actor, hcosIn(namespace), body);
}

export const hcosIn = (namespace: string) => `/apis/hco.kubevirt.io/v1beta1/namespaces/${namespace}/hyperconvergeds`;

export function createMachineConfig(
  actor: ApiUser,
  name: string,
  kernelArguments: readonly string[],
): Promise<KubeObject> {
  const metadata = { name, labels: { "machineconfiguration.openshift.io/role": "worker" } };
  const spec = { kernelArguments };
  const body = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", metadata, spec };
  return create(actor, dirname(paths.psi), body);
}
