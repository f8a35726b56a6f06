// Objects with a script or another attack in every free-text field that the API server accepts.

import { configKind } from "@virt/api";
import type { ApiRequest } from "@virt/testkit";

export type HostileObjects = {
  readonly requests: readonly ApiRequest[];
  readonly places: ReadonlyMap<number, string>;
};

export const hostileProfile = "load-aware-rebalancing";
const hash = "a".repeat(64);
const past = "2026-01-01T00:00:00Z";
const mergePatch = "application/merge-patch+json";

/** Returns markup that runs only if a page renders it as HTML. */
export function scriptOf(number: number): string {
  return `<img src=x onerror=hacked=${number}>`;
}

export function hostileObjects(attack: (number: number) => string = scriptOf): HostileObjects {
  const places = new Map<number, string>();
  const text = (place: string): string => {
    const number = places.size + 1;
    places.set(number, place);
    return `${attack(number)} ${place}`;
  };
  return { requests: [...configRequests(text, attack(0)), ...nodeRequests(text), ...otherRequests(text)], places };
}

type Text = (place: string) => string;

function configRequests(text: Text, reason: string): readonly ApiRequest[] {
  const path = `/apis/${configKind.apiVersion}/${configKind.plural}`;
  const { apiVersion, kind } = configKind;
  const metadata = {
    name: hostileProfile,
    annotations: {
      "advisor.kubevirt.io/description": text("description"),
      "advisor.kubevirt.io/rejected-plan": `${hash} ${reason}`,
    },
  };
  const spec = { profile: hostileProfile, action: "DryRun" };
  return [
    { method: "POST", path, body: { apiVersion, kind, metadata, spec } },
    {
      method: "PATCH",
      path: `${path}/${hostileProfile}/status`,
      contentType: mergePatch,
      body: { status: hostileStatus(text) },
    },
  ];
}

function hostileStatus(text: Text) {
  const targetRef = {
    apiVersion: "operator.openshift.io/v1",
    kind: "KubeDescheduler",
    namespace: "openshift-kube-descheduler-operator",
    name: "cluster",
  };
  const metadata = { name: "cluster", namespace: targetRef.namespace };
  const item = {
    name: text("item name"),
    operation: "Apply",
    targetRef,
    impactSeverity: "High",
    changes: true,
    diff: `--- a (A)\n+++ b (B)\n@@ -1,1 +1,1 @@ ${text("hunk")}\n-${text("line removed")}\n+${text("line added")}\n`,
    desiredState: {
      apiVersion: targetRef.apiVersion,
      kind: targetRef.kind,
      metadata,
      spec: { mode: text("desired state") },
    },
    conflicts: [{ field: "spec.mode", manager: text("manager"), operation: "Update", time: past }],
    warnings: [text("warning")],
    state: "InProgress",
    message: text("item message"),
    lastTransitionTime: past,
  };
  const entry = { node: "worker-0", kind: "VirtualMachineInstance", namespace: "vms", name: "vm-0" };
  return {
    phase: "ReviewRequired",
    planHash: hash,
    impactSeverity: "High",
    operatorVersion: text("operator version"),
    review: { planHash: hash, generation: 1, forced: true, reason: "PlanTampered", message: text("review") },
    items: [item],
    rollouts: [{ machineConfig: "99-earlier", startTime: past, before: [{ pool: "worker", configuration: "a" }] }],
    impact: {
      assessedAt: past,
      summary: text("impact summary"),
      nodes: 1,
      held: 0,
      capacity: { fits: "Unknown", nodes: [], unplacedVMs: 0, unplacedMiB: 0 },
      pools: [],
      blockers: [{ ...entry, reason: text("blocker") }],
      stops: [],
      more: { pools: 0, blockers: 0, stops: 0 },
      assumes: [text("assumption")],
      notAssessed: [{ what: text("gap"), reason: "Unavailable", message: text("gap message") }],
    },
    rollout: {
      summary: text("rollout summary"),
      pools: [],
      nodes: [{ name: "worker-0", pool: "worker", phase: "Degraded", since: past }],
      findings: [
        {
          id: "a",
          severity: "blocking",
          node: "worker-0",
          message: text("finding"),
          command: text("command"),
          since: past,
        },
        { id: "b", severity: "warning", message: text("finding without node"), since: past },
      ],
      more: { pools: 0, nodes: 0, findings: 0 },
    },
    conditions: [
      { type: "ReviewRequired", status: "True", reason: "R", message: text("condition"), lastTransitionTime: past },
    ],
  };
}

function nodeRequests(text: Text): readonly ApiRequest[] {
  const group = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools";
  const machineConfig = "machineconfiguration.openshift.io";
  const annotations = {
    [`${machineConfig}/state`]: "Degraded",
    [`${machineConfig}/reason`]: text("node reason"),
    [`${machineConfig}/currentConfig`]: "a",
    [`${machineConfig}/desiredConfig`]: "b",
  };
  const labels = { "node-role.kubernetes.io/worker": "" };
  const selector = { matchLabels: labels };
  const pool = { nodeSelector: selector, configuration: { name: text("target") } };
  const condition = { type: "NodeDegraded", status: "True", reason: "R", message: text("pool condition") };
  return [
    {
      method: "POST",
      path: "/api/v1/nodes",
      body: { apiVersion: "v1", kind: "Node", metadata: { name: "worker-0", labels, annotations } },
    },
    {
      method: "POST",
      path: group,
      body: { apiVersion: `${machineConfig}/v1`, kind: "MachineConfigPool", metadata: { name: "worker" }, spec: pool },
    },
    {
      method: "PATCH",
      path: `${group}/worker/status`,
      contentType: mergePatch,
      body: { status: { conditions: [{ ...condition, lastTransitionTime: past }] } },
    },
  ];
}

function otherRequests(text: Text): readonly ApiRequest[] {
  const event = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "hostile", namespace: "default" },
    eventTime: new Date().toISOString().replace("Z", "000Z"),
    reportingController: "virt-advisor-operator",
    reportingInstance: "a",
    regarding: { kind: text("event kind"), name: text("event object"), namespace: "default" },
    related: { kind: "Node", name: text("event related") },
    action: "a",
    reason: text("reason"),
    note: text("note"),
    type: "Warning",
  };
  const contested = [
    { path: text("path"), managers: [text("contested manager")], wanted: text("wanted"), found: text("found") },
  ];
  const objects = [
    {
      object: text("object"),
      status: "Failed",
      assets: ["hostile"],
      lastError: text("last error"),
      contested,
      impact: { summary: text("due write") },
    },
  ];
  const exclusions = [
    {
      asset: "left-out",
      group: text("group"),
      target: text("target of asset"),
      reason: text("exclusion"),
      details: text("details"),
    },
  ];
  const activation = { mode: "always", isActive: true };
  const report = { version: 1, activation, hco: null, features: [], objects, exclusions };
  return [
    { method: "POST", path: "/apis/events.k8s.io/v1/namespaces/default/events", body: event },
    {
      method: "POST",
      path: "/api/v1/namespaces/default/configmaps",
      body: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "virt-platform-operator-report", namespace: "default" },
        data: { "report.json": JSON.stringify(report) },
      },
    },
  ];
}
