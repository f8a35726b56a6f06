// The kinds of the remediation operators: their mock CRDs, templates and paths.

import type { ApiUser } from "@virt/testkit";
import { expect } from "vitest";

export const home = "openshift-workload-availability";

/** For `startTestCluster`. */
export const remediationCrds = Object.fromEntries(
  [
    "nodehealthchecks",
    "selfnoderemediations",
    "selfnoderemediationtemplates",
    "fenceagentsremediations",
    "fenceagentsremediationtemplates",
    "machinehealthchecks",
  ].map((name) => [name, name]),
);

const selfGroup = "self-node-remediation.medik8s.io/v1alpha1";
const fenceGroup = "fence-agents-remediation.medik8s.io/v1alpha1";
const selfName = "self-node-remediation-automatic-strategy-template";
const fenceName = "fenceagentsremediationtemplate-default";
const selfTemplates = `/apis/${selfGroup}/namespaces/${home}/selfnoderemediationtemplates`;
const fenceTemplates = `/apis/${fenceGroup}/namespaces/${home}/fenceagentsremediationtemplates`;
const checks = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks";

export const remediationPaths = {
  checks,
  check: `${checks}/virt-node-health-check`,
  selfTemplate: `${selfTemplates}/${selfName}`,
  fenceTemplate: `${fenceTemplates}/${fenceName}`,
  selfRemediation: (node: string) => `/apis/${selfGroup}/namespaces/${home}/selfnoderemediations/${node}`,
};

export async function createSelfTemplate(actor: ApiUser): Promise<void> {
  await actor.request({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: home } },
  });
  await create(actor, selfTemplates, {
    apiVersion: selfGroup,
    kind: "SelfNodeRemediationTemplate",
    metadata: { name: selfName },
    spec: { template: { spec: {} } },
  });
}

export async function createFenceTemplate(actor: ApiUser): Promise<void> {
  await create(actor, fenceTemplates, {
    apiVersion: fenceGroup,
    kind: "FenceAgentsRemediationTemplate",
    metadata: { name: fenceName },
    spec: { template: { spec: { agent: "fence_ipmilan" } } },
  });
}

async function create(actor: ApiUser, path: string, body: object): Promise<void> {
  expect((await actor.request({ method: "POST", path, body })).status).toBe(201);
}
