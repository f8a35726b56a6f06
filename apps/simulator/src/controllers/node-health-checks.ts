// Simulates the Node Health Check Operator: creates a remediation for each node that is unhealthy for too long.

import {
  asList,
  asNumber,
  asText,
  at,
  isMap,
  type Json,
  type KubeObject,
  matchesSelector,
  member,
} from "@virt/objects";
import {
  type ClusterState,
  findNamespaced,
  isKind,
  type SimulatedCondition,
  withTransitionTimes,
} from "../cluster-state.ts";
import { readNode } from "../node-state.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { readSeconds, type SimulatedTimers } from "../simulated-timers.ts";

const manager = "node-healthcheck-operator";

export function reconcileNodeHealthChecks(cluster: ClusterState, timers: SimulatedTimers): readonly ObjectWrite[] {
  return cluster.list("NodeHealthCheck").flatMap((check) => reconcileNodeHealthCheck(cluster, timers, check));
}

function reconcileNodeHealthCheck(
  cluster: ClusterState,
  timers: SimulatedTimers,
  check: KubeObject,
): readonly ObjectWrite[] {
  const steps = remediationSteps(check);
  const refusal = disabledBy(cluster, steps);
  if (refusal !== undefined)
    return [checkStatus(cluster, check, { observed: 0, healthy: 0, remediating: 0, unhealthy: [], refusal })];
  const nodes = cluster
    .list("Node")
    .filter(({ metadata }) => matchesSelector(at(check, "spec", "selector"), metadata.labels ?? {}))
    .map((node) => checkNode(cluster, timers, check, node));
  const healthy = nodes.filter(({ health, remediations }) => health === "Healthy" && remediations.length === 0).length;
  const unhealthy = nodes.filter(({ health }) => health === "Unhealthy");
  const isAllowed = healthy >= minHealthy(check, nodes.length) && !unhealthy.some(({ node }) => isUpdating(node));
  const remediating = nodes.filter(isRemediated).length;
  return [
    checkStatus(cluster, check, {
      observed: nodes.length,
      healthy,
      remediating,
      unhealthy: nodes.filter(isRemediated),
    }),
    ...nodes.filter(({ health }) => health === "Healthy").flatMap(endRemediations),
    ...(isAllowed ? unhealthy.flatMap((each) => startRemediations({ cluster, timers, check, steps }, each)) : []),
  ];
}

const isRemediated = ({ remediations }: CheckedNode): boolean => remediations.length > 0;

type CheckedNode = {
  readonly node: KubeObject;
  /** `Failing` means that the node matches an unhealthy condition, but not for long enough yet. */
  readonly health: "Healthy" | "Failing" | "Unhealthy";
  readonly remediations: readonly KubeObject[];
};

function checkNode(cluster: ClusterState, timers: SimulatedTimers, check: KubeObject, node: KubeObject): CheckedNode {
  const present = asList(at(node, "status", "conditions"));
  const matches = asList(at(check, "spec", "unhealthyConditions")).filter((unhealthy) =>
    present.some((each) => ["type", "status"].every((key) => member(each, key) === member(unhealthy, key))),
  );
  const isOver = matches.map((unhealthy) => {
    const seconds = readSeconds(asText(member(unhealthy, "duration")) ?? "") ?? 0;
    return timers.hasElapsed(
      `health of ${node.metadata.name}: ${check.metadata.name} ${JSON.stringify(unhealthy)}`,
      seconds * 1000,
    );
  });
  const health = matches.length === 0 ? "Healthy" : isOver.includes(true) ? "Unhealthy" : "Failing";
  return { node, health, remediations: remediationsOf(cluster, check, node) };
}

function remediationsOf(cluster: ClusterState, check: KubeObject, node: KubeObject): readonly KubeObject[] {
  const isOwn = (object: KubeObject) =>
    asList(at(object, "metadata", "ownerReferences")).some((owner) => member(owner, "uid") === check.metadata.uid);
  return (["SelfNodeRemediation", "FenceAgentsRemediation"] as const)
    .flatMap((kind) => cluster.list(kind))
    .filter((object) => object.metadata.name === node.metadata.name && isOwn(object));
}

// Like the real operator, does not remediate a node that is updating, even if its reboot takes long.
function isUpdating(node: KubeObject): boolean {
  const { current, desired } = readNode(node);
  return current !== desired;
}

function minHealthy(check: KubeObject, total: number): number {
  const given = at(check, "spec", "minHealthy");
  const text = asText(given) ?? `${asNumber(given) ?? "51%"}`;
  const amount = Number.parseInt(text, 10);
  return text.endsWith("%") ? Math.ceil((amount * total) / 100) : amount;
}

/** A remediation template, and the time after which the next template is used as well. */
type RemediationStep = { readonly template: Json; readonly timeoutMs: number };

function remediationSteps(check: KubeObject): readonly RemediationStep[] {
  const template = at(check, "spec", "remediationTemplate");
  if (isMap(template)) return [{ template, timeoutMs: Number.POSITIVE_INFINITY }];
  const orderOf = (step: Json) => asNumber(member(step, "order")) ?? 0;
  return asList(at(check, "spec", "escalatingRemediations"))
    .toSorted((left, right) => orderOf(left) - orderOf(right))
    .map((step) => ({
      template: member(step, "remediationTemplate") ?? {},
      timeoutMs: (readSeconds(asText(member(step, "timeout")) ?? "") ?? 600) * 1000,
    }));
}

function findTemplate(cluster: ClusterState, reference: Json): KubeObject | undefined {
  const [kind = "", namespace = "", name = ""] = ["kind", "namespace", "name"].map((key) =>
    asText(member(reference, key)),
  );
  return isKind(kind) ? findNamespaced(cluster, kind, `${namespace}/${name}`) : undefined;
}

function disabledBy(cluster: ClusterState, steps: readonly RemediationStep[]): SimulatedCondition | undefined {
  const disabled = { type: "Disabled", status: "True" } as const;
  if (isRivaled(cluster.list("MachineHealthCheck"))) {
    const message = "Custom MachineHealthCheck(s) detected, disabling NodeHealthCheck to avoid conflicts";
    return { ...disabled, reason: "ConflictingMachineHealthCheckDetected", message };
  }
  const missing = steps.find(({ template }) => findTemplate(cluster, template) === undefined);
  if (missing === undefined) return undefined;
  const name = asText(member(missing.template, "name")) ?? "";
  return { ...disabled, reason: "RemediationTemplateNotFound", message: `Remediation template not found: "${name}"` };
}

// As the real operator: it tolerates a single MachineHealthCheck that only handles terminated cloud machines.
function isRivaled([first, ...more]: readonly KubeObject[]): boolean {
  const conditions = asList(at(first, "spec", "unhealthyConditions"));
  const isForTermination = conditions.length === 1 && member(conditions[0], "type") === "Terminating";
  return first !== undefined && (more.length > 0 || !isForTermination);
}

type CheckCounts = {
  readonly observed: number;
  readonly healthy: number;
  readonly remediating: number;
  readonly unhealthy: readonly CheckedNode[];
  readonly refusal?: SimulatedCondition;
};

const enabled: SimulatedCondition = {
  type: "Disabled",
  status: "False",
  reason: "NodeHealthCheckEnabled",
  message: "No issues found, NodeHealthCheck is enabled.",
};

function checkStatus(
  cluster: ClusterState,
  check: KubeObject,
  { observed, healthy, remediating, unhealthy, refusal }: CheckCounts,
): ObjectWrite {
  const [phase, reason] =
    refusal !== undefined
      ? ["Disabled", `NHC is disabled: ${refusal.reason}: ${refusal.message}`]
      : remediating > 0
        ? ["Remediating", `NHC is remediating ${remediating} nodes`]
        : ["Enabled", "NHC is enabled, no ongoing remediation"];
  const conditions = withTransitionTimes(check, [refusal ?? enabled], cluster.timestamp);
  const unhealthyNodes = unhealthy.map(unhealthyNode);
  const status = { observedNodes: observed, healthyNodes: healthy, phase, reason, conditions, unhealthyNodes };
  return { kind: "set", object: check, fields: { status }, isStatus: true, manager };
}

function unhealthyNode({ node, remediations }: CheckedNode) {
  return {
    name: node.metadata.name,
    remediations: remediations.map(({ apiVersion, kind, metadata: { name, namespace = "", creationTimestamp } }) => ({
      resource: { apiVersion, kind, name, namespace },
      started: asText(creationTimestamp) ?? "",
    })),
  };
}

type RemediationContext = {
  readonly cluster: ClusterState;
  readonly timers: SimulatedTimers;
  readonly check: KubeObject;
  readonly steps: readonly RemediationStep[];
};

function startRemediations(context: RemediationContext, { node, remediations }: CheckedNode): readonly ObjectWrite[] {
  return dueSteps(context, node).flatMap(({ template }): readonly ObjectWrite[] => {
    const object = remediationOf(context, node, template);
    const isPresent = object === undefined || remediations.some(({ kind }) => kind === object.kind);
    if (isPresent || !isKind(object.kind) || context.cluster.servedVersion(object.kind) === undefined) return [];
    const event = `node health check ${context.check.metadata.name} creates ${object.kind} ${object.metadata.name}`;
    return [{ kind: "create", object, manager, event }];
  });
}

function dueSteps({ timers, check, steps }: RemediationContext, node: KubeObject): readonly RemediationStep[] {
  const last = steps.findIndex(
    ({ timeoutMs }, index) =>
      !timers.hasElapsed(`remediation ${index} of ${node.metadata.name}: ${check.metadata.name}`, timeoutMs),
  );
  return last === -1 ? steps : steps.slice(0, last + 1);
}

function remediationOf(
  { cluster, check }: RemediationContext,
  { metadata: { name } }: KubeObject,
  reference: Json,
): KubeObject | undefined {
  const template = findTemplate(cluster, reference);
  if (template === undefined) return undefined;
  const annotations = {
    "remediation.medik8s.io/node-name": name,
    "remediation.medik8s.io/template-name": template.metadata.name,
  };
  const owner = { apiVersion: check.apiVersion, kind: check.kind, name: check.metadata.name, controller: false };
  return {
    apiVersion: template.apiVersion,
    kind: template.kind.replace(/Template$/, ""),
    metadata: {
      name,
      namespace: template.metadata.namespace ?? "",
      labels: { "app.kubernetes.io/part-of": "node-healthcheck-controller" },
      annotations,
      ownerReferences: [{ ...owner, uid: check.metadata.uid ?? "" }],
    },
    spec: at(template, "spec", "template", "spec") ?? {},
  };
}

function endRemediations({ node, remediations }: CheckedNode): readonly ObjectWrite[] {
  return remediations
    .filter(({ metadata }) => metadata["deletionTimestamp"] === undefined)
    .map((object) => ({
      kind: "delete",
      object,
      manager,
      event: `node health check deletes ${object.kind} ${node.metadata.name}`,
    }));
}
