// Plans the NodeHealthCheck, and its removal.

import type { PlannedItem, TargetProblem } from "@virt/advisor";
import { contentForms, fieldManagers, type JsonMap, type KubeObject, type ObjectForm, profileManager } from "@virt/api";
import { conditionsOf, healthOf } from "@virt/cluster";
import { appliedBy, at, fieldPath, isMadeBy, ownersOf, readOwners, subtractFields, touchesField } from "@virt/objects";
import {
  availabilityProfile,
  nodeHealthCheck,
  nodeHealthCheckRef,
  type Remediation,
  selfNodeTemplate,
  selfNodeTemplateIn,
  templateHomes,
  workersOnly,
} from "../../node-health-check.ts";
import {
  type AvailabilityFacts,
  type AvailabilitySettings,
  countSelected,
  fenceAgentsTemplate,
  healthyCount,
  isForTermination,
  selectorFor,
  templateHome,
} from "./facts.ts";

const { kind, name } = nodeHealthCheckRef;
const manager = profileManager(availabilityProfile);
const fencingTimeout = "5m";
const selfRemediationTimeout = "10m";

const { constant, either, fields, integer, listOf, oneOf, optional, required, text } = contentForms;
const dnsName = (most: number) => text("[a-z0-9]([-.a-z0-9]*[a-z0-9])?", most);
const fenceTemplateForm = fields({
  apiVersion: required(constant(fenceAgentsTemplate.apiVersion)),
  kind: required(constant(fenceAgentsTemplate.kind)),
  name: required(dnsName(253)),
  namespace: required(dnsName(63)),
});
const selfTemplateForm = fields({
  apiVersion: required(constant(selfNodeTemplate.apiVersion)),
  kind: required(constant(selfNodeTemplate.kind)),
  name: required(constant(selfNodeTemplate.name)),
  namespace: required(oneOf(...templateHomes)),
});
const stepForm = (order: number, template: typeof fenceTemplateForm, timeout: string) =>
  fields({
    order: required(constant(order)),
    remediationTemplate: required(template),
    timeout: required(constant(timeout)),
  });
const unhealthyForm = fields({
  type: required(constant("Ready")),
  status: required(oneOf("False", "Unknown")),
  duration: required(text("[0-9]{2,4}s", 5)),
});

/** The allowed content of a plan, for all options. */
export const checkForms: readonly ObjectForm[] = [
  {
    apiVersion: nodeHealthCheckRef.apiVersion,
    spec: fields({
      selector: required(
        fields({ matchExpressions: required(listOf(workersOnly.matchExpressions.map(constant), 1, 3)) }),
      ),
      unhealthyConditions: optional(listOf([unhealthyForm], 2, 2)),
      minHealthy: required(either(text("(100|[0-9]{1,2})%", 4), integer(0, 9999))),
      stormCooldownDuration: optional(text("[0-9]{1,4}[ms]", 5)),
      remediationTemplate: optional(either(fenceTemplateForm, selfTemplateForm)),
      escalatingRemediations: optional(
        listOf(
          [stepForm(1, fenceTemplateForm, fencingTimeout), stepForm(2, selfTemplateForm, selfRemediationTimeout)],
          2,
          2,
        ),
      ),
    }),
  },
];

export function configureCheck(settings: AvailabilitySettings, facts: AvailabilityFacts): PlannedItem {
  const { unhealthySeconds, stormCooldownSeconds, minHealthy } = settings;
  const remediation = remediationFor(settings, facts);
  const cooldown = stormCooldownSeconds > 0 ? ["stormCooldownDuration"] : [];
  const written = ["selector", "unhealthyConditions", "minHealthy", ...cooldown, ...Object.keys(remediation)];
  return {
    name: "configure-node-health-check",
    message: `${kind} '${name}' will be configured to remediate nodes that are not ready for ${unhealthySeconds} seconds`,
    operation: "Apply",
    target: nodeHealthCheckRef,
    desired: nodeHealthCheck({
      selector: selectorFor(settings, facts),
      minHealthy: healthyCount(settings) ?? minHealthy,
      unhealthySeconds,
      stormCooldownSeconds,
      remediation,
    }),
    managedFields: written.map((field) => `spec.${field}`),
    warnings: warningsOf(settings, facts),
    impact: { create: "Medium", change: "Low" },
    problemOf: checkProblem,
  };
}

function remediationFor({ remediation, fenceAgentsTemplate: given }: AvailabilitySettings, facts: AvailabilityFacts) {
  const fencing = { ...fenceAgentsTemplate, name: given.name, namespace: given.namespace };
  const rebooting = selfNodeTemplateIn(templateHome(facts));
  const chosen: Readonly<Record<typeof remediation, Remediation>> = {
    SelfNodeRemediation: { remediationTemplate: rebooting },
    FenceAgents: { remediationTemplate: fencing },
    FenceAgentsThenSelf: {
      escalatingRemediations: [
        { order: 1, remediationTemplate: fencing, timeout: fencingTimeout },
        { order: 2, remediationTemplate: rebooting, timeout: selfRemediationTimeout },
      ],
    },
  };
  return chosen[remediation];
}

function warningsOf(settings: AvailabilitySettings, facts: AvailabilityFacts): readonly string[] {
  const { unhealthySeconds: seconds } = settings;
  return [
    `A node that is not ready for ${seconds} seconds is rebooted or fenced; its VMs stop`,
    ...(seconds < 60 ? ["unhealthySeconds below 60 may remediate nodes that are only slow to report"] : []),
    ...machineCheckWarning(facts),
    ...shareWarning(settings, facts),
  ];
}

// The operator accepts a MachineHealthCheck only if it is the only one and just handles terminated machines.
function machineCheckWarning({ machineChecks }: AvailabilityFacts): readonly string[] {
  const [first, ...more] = machineChecks;
  if (first === undefined || (more.length === 0 && isForTermination(first))) return [];
  const { name: rival } = (machineChecks.find((check) => !isForTermination(check)) ?? first).metadata;
  return [`MachineHealthCheck '${rival}' exists: the Node Health Check Operator may disable the check`];
}

// The operator rounds percentages up, so 51% of 2 nodes are 2.
function shareWarning(settings: AvailabilitySettings, facts: AvailabilityFacts): readonly string[] {
  const { minHealthy } = settings;
  const nodes = countSelected(settings, facts);
  if (healthyCount(settings) !== undefined) return [];
  const isNever = Math.ceil((Number.parseInt(minHealthy, 10) * nodes) / 100) >= nodes;
  return isNever ? [`minHealthy ${minHealthy} of ${nodes} nodes would never remediate`] : [];
}

/** The operator normally reports within seconds. */
const longestUnreportedMs = 60_000;

/** Returns the problem that the Node Health Check Operator reports. */
export function checkProblem(live: KubeObject): TargetProblem | undefined {
  const next = `kubectl describe nodehealthcheck ${live.metadata.name}`;
  const health = healthOf(live);
  if (health?.state === "degraded") return { message: health.message, next, kind: "fault" };
  if (conditionsOf(live).length > 0) return undefined;
  const message = `The Node Health Check Operator has not processed ${kind} '${live.metadata.name}' yet`;
  return { message, next, kind: "unprocessed", longestMs: longestUnreportedMs };
}

/** Fields that every plan writes. */
const alwaysWritten = ["spec.selector", "spec.unhealthyConditions", "spec.minHealthy"];

/** Deletes the object if the advisor made it. Otherwise, gives up the fields that another manager also owns. */
export function removeCheck({ own }: AvailabilityFacts): PlannedItem {
  if (own === undefined || isMadeBy(own, manager, alwaysWritten))
    return {
      name: "remove-node-health-check",
      message: `${kind} '${name}' will be deleted`,
      operation: "Delete",
      target: nodeHealthCheckRef,
      managedFields: alwaysWritten,
      warnings: [],
      impact: "Medium",
    };
  const inPlace = `${kind} '${name}' was not created by ${fieldManagers.advisor} and is left in place`;
  const spec = requiredOf(own);
  return {
    name: "release-node-health-check",
    message: inPlace,
    messageInPlace: inPlace,
    operation: "Apply",
    target: nodeHealthCheckRef,
    desired: { ...nodeHealthCheckSkeleton, ...(Object.keys(spec).length > 0 && { spec }) },
    managedFields: Object.keys(spec).map((field) => `spec.${field}`),
    warnings: [],
    impact: { create: "Low", change: "Low" },
    isRelease: true,
  };
}

const nodeHealthCheckSkeleton = { apiVersion: nodeHealthCheckRef.apiVersion, kind, metadata: { name } };

/** Returns fields without which the object is invalid, if no other manager owns them completely. */
function requiredOf(own: KubeObject): JsonMap {
  const owners = readOwners(own);
  const others = owners.filter((owner) => owner.manager !== manager).map(({ fields }) => fields);
  const onlyOurs = others.reduce(subtractFields, appliedBy(owners, manager));
  const entries = requiredFields.flatMap((field) => {
    const value = at(own, "spec", field);
    return value !== undefined && touchesField(onlyOurs, fieldPath("spec", field)) ? [[field, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

const requiredFields = [
  "selector",
  "unhealthyConditions",
  "minHealthy",
  "remediationTemplate",
  "escalatingRemediations",
] as const;

/** A manager other than the advisor that set a field which the operator refuses beside the planned one. */
export type RivalField = { readonly field: string; readonly manager: string };

/** Finds a remediation of another manager, which an apply of the advisor cannot remove. */
export function findRivalField(settings: AvailabilitySettings, facts: AvailabilityFacts): RivalField | undefined {
  const { own } = facts;
  const escalates = settings.remediation === "FenceAgentsThenSelf";
  const field = escalates ? "remediationTemplate" : "escalatingRemediations";
  if (own === undefined || at(own, "spec", field) === undefined) return undefined;
  const owners = ownersOf(readOwners(own), fieldPath("spec", field));
  const rival = owners.find((owner) => owner.manager !== manager);
  return rival && { field, manager: rival.manager };
}
