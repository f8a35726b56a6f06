// The conditions under which a plan would not remediate nodes, with the next step.

import type { CrdRequirement, OptionsRefusal } from "@virt/advisor";
import { fieldManagers, type KubeObject } from "@virt/api";
import { at, matchesSelector } from "@virt/objects";
import { nodeHealthCheckRef, selfNodeTemplate } from "../../node-health-check.ts";
import { hyperConverged, hyperConvergedNeed } from "../hyperconverged.ts";
import { findRivalField } from "./check.ts";
import {
  type AvailabilityFacts,
  type AvailabilitySettings,
  availabilitySettings,
  countSelected,
  fenceAgentsTemplate,
  healthyCount,
  selectorFor,
} from "./facts.ts";
import type { Options } from "./options.ts";

const { name } = nodeHealthCheckRef;

/** A removal needs no remediation operator. */
export function neededKinds(given: Options | undefined): readonly CrdRequirement[] {
  const { enabled, remediation, evictionStrategy } = availabilitySettings(given);
  const check = needOf(nodeHealthCheckRef, "Install the Node Health Check Operator via OLM");
  if (!enabled) return [check];
  return [
    check,
    ...(remediation === "FenceAgents"
      ? []
      : [needOf(selfNodeTemplate, "Install the Self Node Remediation Operator via OLM")]),
    ...(remediation === "SelfNodeRemediation"
      ? []
      : [needOf(fenceAgentsTemplate, "Install the Fence Agents Remediation Operator via OLM")]),
    ...(evictionStrategy === "Keep" ? [] : [hyperConvergedNeed("Install OpenShift Virtualization via OLM")]),
  ];
}

function needOf({ apiVersion, kind }: Readonly<Record<"apiVersion" | "kind", string>>, remedy: string): CrdRequirement {
  const [group = "", version = ""] = apiVersion.split("/");
  return { kind, group, versions: [version], shown: `${group}.${version}`, remedy };
}

export function refusePlanOf(given: Options | undefined, facts: AvailabilityFacts): OptionsRefusal | undefined {
  const settings = availabilitySettings(given);
  if (!settings.enabled) return undefined;
  return (
    refuseWithoutHco(settings, facts) ??
    refuseWithoutTemplate(settings, facts) ??
    refuseNodes(settings, facts) ??
    refuseRivalField(settings, facts)
  );
}

// Only a draft is refused because of its nodes. Afterwards, a refusal would hide that the number of nodes has changed.
function refuseNodes(settings: AvailabilitySettings, facts: AvailabilityFacts): OptionsRefusal | undefined {
  if (facts.nodeLabels === undefined) return undefined;
  return (
    refuseMinHealthy(settings, facts) ??
    refuseTooFewNodes(settings, facts) ??
    refuseSecondCheck(settings, facts, facts.nodeLabels)
  );
}

function refuseMinHealthy(settings: AvailabilitySettings, facts: AvailabilityFacts): OptionsRefusal | undefined {
  const count = healthyCount(settings);
  const nodes = countSelected(settings, facts);
  if (count === undefined || nodes < fewestNodes || count < nodes) return undefined;
  return { kind: "invalid", message: `minHealthy ${count} of ${nodes} nodes would never remediate` };
}

// Refuses a plan without a HyperConverged, because creating one would install OpenShift Virtualization.
function refuseWithoutHco(
  { evictionStrategy }: AvailabilitySettings,
  { hco }: AvailabilityFacts,
): OptionsRefusal | undefined {
  if (evictionStrategy === "Keep" || hco.object !== undefined) return undefined;
  const { kind, name: hcoName } = hyperConverged;
  return {
    kind: "absent",
    message: `${kind} '${hcoName}' does not exist`,
    next: `create ${kind} ${hco.namespace}/${hcoName}, or set evictionStrategy to Keep`,
  };
}

function refuseWithoutTemplate(
  { remediation, fenceAgentsTemplate: wanted }: AvailabilitySettings,
  { fenceTemplates }: AvailabilityFacts,
): OptionsRefusal | undefined {
  const isWanted = ({ metadata }: KubeObject) =>
    metadata.name === wanted.name && metadata.namespace === wanted.namespace;
  if (remediation === "SelfNodeRemediation" || fenceTemplates.some(isWanted)) return undefined;
  return {
    kind: "absent",
    message: `${fenceAgentsTemplate.kind} '${wanted.namespace}/${wanted.name}' does not exist`,
    next: "create it with the credentials of your BMCs",
  };
}

/** One node is remediated, and another one runs its VMs. */
const fewestNodes = 2;

function refuseTooFewNodes(settings: AvailabilitySettings, facts: AvailabilityFacts): OptionsRefusal | undefined {
  const nodes = countSelected(settings, facts);
  if (nodes >= fewestNodes) return undefined;
  const message =
    nodes === 0
      ? "No node is selected, so VMs cannot start elsewhere"
      : `Only ${nodes} node is selected, so its VMs cannot start elsewhere`;
  return { kind: "unfit", message, next: "add nodes" };
}

// Two checks of a node would remediate it twice.
function refuseSecondCheck(
  settings: AvailabilitySettings,
  facts: AvailabilityFacts,
  nodeLabels: readonly Readonly<Record<string, string>>[],
): OptionsRefusal | undefined {
  const selected = nodeLabels.filter((labels) => matchesSelector(selectorFor(settings, facts), labels));
  for (const check of facts.checks.filter(({ metadata }) => metadata.name !== name)) {
    const theirs = at(check, "spec", "selector") ?? {}; // no selector selects all nodes
    const shared = selected.filter((labels) => matchesSelector(theirs, labels)).length;
    const other = check.metadata.name;
    if (shared > 0)
      return {
        kind: "unfit",
        message: `${nodeHealthCheckRef.kind} '${other}' already selects ${shared} of these nodes`,
        next: `kubectl delete nodehealthcheck ${other}, or narrow its selector`,
      };
  }
  return undefined;
}

function refuseRivalField(settings: AvailabilitySettings, facts: AvailabilityFacts): OptionsRefusal | undefined {
  const rival = findRivalField(settings, facts);
  if (rival === undefined) return undefined;
  const deletion = `kubectl delete nodehealthcheck ${name}`;
  const isPlatform = rival.manager === fieldManagers.platform;
  return {
    kind: "unfit",
    message: `${nodeHealthCheckRef.kind} '${name}' has spec.${rival.field} of ${rival.manager}, which excludes the planned remediation`,
    next: isPlatform ? `${switchOff(facts)} && ${deletion}` : deletion,
  };
}

// Otherwise, the platform controller creates the object again.
function switchOff({ hco: { namespace } }: AvailabilityFacts): string {
  return `kubectl annotate --overwrite hco ${hyperConverged.name} -n ${namespace} platform.kubevirt.io/enable-node-health-check=false`;
}
