// The facts and settings of vm-high-availability, including defaults.

import { nodes, type ProfileFacts } from "@virt/advisor";
import type { KubeObject } from "@virt/api";
import { hco, object, objects } from "@virt/cluster";
import { asText, at, matchesSelector } from "@virt/objects";
import {
  allWorkers,
  nodeHealthCheckRef,
  roleLabels,
  selfNodeTemplate,
  standardSettings,
  templateHomeOf,
  templateHomes,
  workersOnly,
} from "../../node-health-check.ts";
import type { Options } from "./options.ts";

export const fenceAgentsTemplate = {
  apiVersion: "fence-agents-remediation.medik8s.io/v1alpha1",
  kind: "FenceAgentsRemediationTemplate",
} as const;

const [preferredHome, otherHome] = templateHomes;

export const reads = {
  hco: hco(),
  own: object(nodeHealthCheckRef),
  preferredTemplate: object({ ...selfNodeTemplate, namespace: preferredHome }),
  otherTemplate: object({ ...selfNodeTemplate, namespace: otherHome }),
  fenceTemplates: objects(fenceAgentsTemplate.apiVersion, fenceAgentsTemplate.kind),
  checks: objects(nodeHealthCheckRef.apiVersion, nodeHealthCheckRef.kind, [["spec", "selector"]]),
  machineChecks: objects("machine.openshift.io/v1beta1", "MachineHealthCheck", [["spec", "unhealthyConditions"]]),
  nodeRoles: objects(
    "v1",
    "Node",
    roleLabels.map((label) => ["metadata", "labels", label]),
  ),
  nodeLabels: nodes(),
};

export type AvailabilityFacts = ProfileFacts<typeof reads>;

export const defaults = {
  enabled: true,
  remediation: "SelfNodeRemediation",
  fenceAgentsTemplate: { name: "fenceagentsremediationtemplate-default", namespace: preferredHome },
  unhealthySeconds: standardSettings.unhealthySeconds,
  minHealthy: standardSettings.minHealthy,
  stormCooldownSeconds: standardSettings.stormCooldownSeconds,
  evictionStrategy: "Keep",
} as const;

/** If `includeControlPlane` is not set, the nodes decide. */
export type AvailabilitySettings = Omit<Options, "fenceAgentsTemplate"> &
  Required<Pick<Options, Exclude<keyof typeof defaults, "fenceAgentsTemplate">>> & {
    readonly fenceAgentsTemplate: { readonly name: string; readonly namespace: string };
  };

export function availabilitySettings(given: Options | undefined): AvailabilitySettings {
  return {
    ...defaults,
    ...given,
    fenceAgentsTemplate: { ...defaults.fenceAgentsTemplate, ...given?.fenceAgentsTemplate },
  };
}

const labelsOf = ({ metadata }: KubeObject) => metadata.labels ?? {};

/** Selects control plane nodes only if the user wants them or, by default, if no other node runs VMs. */
export function selectorFor({ includeControlPlane }: AvailabilitySettings, { nodeRoles }: AvailabilityFacts) {
  const isCompact =
    nodeRoles.some((node) => matchesSelector(allWorkers, labelsOf(node))) &&
    !nodeRoles.some((node) => matchesSelector(workersOnly, labelsOf(node)));
  return (includeControlPlane ?? isCompact) ? allWorkers : workersOnly;
}

export function countSelected(settings: AvailabilitySettings, facts: AvailabilityFacts): number {
  const selector = selectorFor(settings, facts);
  return facts.nodeRoles.filter((node) => matchesSelector(selector, labelsOf(node))).length;
}

/** A number of nodes. Undefined for a percentage. */
export function healthyCount({ minHealthy }: AvailabilitySettings): number | undefined {
  return minHealthy.endsWith("%") ? undefined : Number(minHealthy);
}

export function templateHome({ preferredTemplate, otherTemplate, own }: AvailabilityFacts): string {
  return templateHomeOf([preferredTemplate, otherTemplate], own);
}

/** Reports whether the MachineHealthCheck only handles terminated cloud machines, as that of OpenShift does. */
export function isForTermination(check: KubeObject): boolean {
  const conditions = at(check, "spec", "unhealthyConditions");
  return Array.isArray(conditions) && conditions.length === 1 && asText(at(conditions[0], "type")) === "Terminating";
}
