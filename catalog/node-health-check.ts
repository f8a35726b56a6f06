// The NodeHealthCheck of both controllers. A hand-over between them changes no byte of it.

import { fieldManagers, type Json, type KubeObject, profileManager } from "@virt/api";
import { appliedBy, asList, asText, at, fieldPath, member, readOwners, touchesField } from "@virt/objects";

/** The profile that plans this object. */
export const availabilityProfile = "vm-high-availability";

/** The field managers of the platform controller and of the profile. */
const ourManagers = [fieldManagers.platform, profileManager(availabilityProfile)];

export const nodeHealthCheckRef = {
  apiVersion: "remediation.medik8s.io/v1alpha1",
  kind: "NodeHealthCheck",
  name: "virt-node-health-check",
} as const;

/** The key that profile and asset share: only one of them remediates nodes. */
export const nodeRemediation = "node-remediation";

/** The template that the Self Node Remediation Operator creates in its namespace. */
export const selfNodeTemplate = {
  apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
  kind: "SelfNodeRemediationTemplate",
  name: "self-node-remediation-automatic-strategy-template",
} as const;

/** Namespaces of the operator, OperatorHub's default first. Templates elsewhere do not belong to it. */
export const templateHomes = ["openshift-workload-availability", "openshift-operators"] as const;

const workerExists = { key: "node-role.kubernetes.io/worker", operator: "Exists" } as const;
const controlPlaneRoles = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"] as const;

export const roleLabels: readonly string[] = [workerExists.key, ...controlPlaneRoles];

export const workersOnly = {
  matchExpressions: [workerExists, ...controlPlaneRoles.map((key) => ({ key, operator: "DoesNotExist" }) as const)],
};
export const allWorkers = { matchExpressions: [workerExists] };

export const standardSettings = { minHealthy: "51%", unhealthySeconds: 300, stormCooldownSeconds: 300 } as const;

type Template = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
};
type Escalation = { readonly order: number; readonly remediationTemplate: Template; readonly timeout: string };

/** How unhealthy nodes are remediated. The operator accepts only one of the two. */
export type Remediation =
  | { readonly remediationTemplate: Template }
  | { readonly escalatingRemediations: readonly Escalation[] };

export type NodeHealthCheckSettings = {
  readonly selector: typeof workersOnly | typeof allWorkers;
  /** A percentage, or a number of nodes. The operator does not accept a number as text. */
  readonly minHealthy: string | number;
  readonly unhealthySeconds: number;
  /** 0: without a cooldown. */
  readonly stormCooldownSeconds: number;
  readonly remediation: Remediation;
};

export function nodeHealthCheck({
  selector,
  minHealthy,
  unhealthySeconds,
  stormCooldownSeconds,
  remediation,
}: NodeHealthCheckSettings): KubeObject {
  const { apiVersion, kind, name } = nodeHealthCheckRef;
  const spec = {
    minHealthy,
    ...(stormCooldownSeconds > 0 && { stormCooldownDuration: cooldownText(stormCooldownSeconds) }),
    selector,
    unhealthyConditions: ["False", "Unknown"].map((status) => ({
      type: "Ready",
      status,
      duration: `${unhealthySeconds}s`,
    })),
    ...remediation,
  };
  return { apiVersion, kind, metadata: { name }, spec };
}

function cooldownText(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

export function selfNodeTemplateIn(namespace: string): Template {
  return { ...selfNodeTemplate, namespace };
}

/**
 * Returns the namespace of the self node remediation template. Keeps the current one while its template exists, so that
 * another template does not take over. Without a template, the check is disabled.
 */
export function templateHomeOf(templates: readonly (KubeObject | undefined)[], own: KubeObject | undefined): string {
  const found = templateHomes.filter((home) => templates.some((one) => one?.metadata.namespace === home));
  const current = found.find((home) => home === currentHome(own));
  return current ?? found[0] ?? templateHomes[0];
}

/** Returns the namespace that one of our controllers set. Ignores changes by other clients. */
function currentHome(own: KubeObject | undefined): string | undefined {
  if (own === undefined) return undefined;
  const owners = readOwners(own);
  const isOurs = (...path: readonly string[]) =>
    ourManagers.some((manager) => touchesField(appliedBy(owners, manager), fieldPath("spec", ...path)));
  if (isOurs("remediationTemplate", "namespace")) return asText(at(own, "spec", "remediationTemplate", "namespace"));
  if (!isOurs("escalatingRemediations")) return undefined;
  const templates = asList(at(own, "spec", "escalatingRemediations")).map((one) => member(one, "remediationTemplate"));
  return asText(member(templates.find(isSelfNodeTemplate), "namespace"));
}

function isSelfNodeTemplate(template: Json | undefined): boolean {
  return asText(member(template, "kind")) === selfNodeTemplate.kind;
}
