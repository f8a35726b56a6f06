// MachineConfiguration with node disruption policies, which replace reboots.

import type { Field, Subject } from "../subject.ts";
import { conditionFields, fullCondition } from "./parts.ts";

const restart = { type: "Restart", restart: { serviceName: "crio.service" } };
const reload = { type: "Reload", reload: { serviceName: "crio.service" } };
const policies = {
  files: [{ path: "/etc/a", actions: [reload, restart] }],
  units: [{ name: "a.service", actions: [restart, reload] }],
  sshkey: { actions: [restart, reload] },
};

const wrongActions = [
  [{ type: "Reboot" }, { type: "Drain" }],
  [{ type: "None" }, { type: "Drain" }],
  [{ type: "Restart" }],
  [{ type: "Reload", restart: restart.restart }],
  [{ type: "Shutdown" }],
  [{ type: "Restart", restart: { serviceName: "crio" } }],
  [{ type: "Restart", restart: { serviceName: "cr io.service" } }],
  [{}],
];

function actionFields(path: string, good: readonly string[]): readonly Field[] {
  return [
    {
      path: `${path}.actions`,
      isRequired: true,
      isRuled: true,
      good: [[], ...good.map((type) => [{ type }])],
      bad: wrongActions,
    },
  ];
}

function policyFields(path: string, good: readonly string[]): readonly Field[] {
  const twice = { files: [policies.files[0], policies.files[0]], units: [policies.units[0], policies.units[0]] };
  return [
    { path, good: [{}] },
    { path: `${path}.files`, good: [[]], bad: [twice.files] },
    { path: `${path}.files[].path`, isRequired: true },
    ...actionFields(`${path}.files[]`, good),
    { path: `${path}.units`, good: [[]], bad: [twice.units] },
    {
      path: `${path}.units[].name`,
      isRequired: true,
      isRuled: true,
      good: ["a.mount"],
      bad: ["a", ".service", "a b.service"],
    },
    ...actionFields(`${path}.units[]`, good),
    { path: `${path}.sshkey`, bad: [{}] },
    ...actionFields(`${path}.sshkey`, good),
  ];
}

const spec = "spec.nodeDisruptionPolicy";
const status = "status.nodeDisruptionPolicyStatus";
const types = ["Reboot", "Drain", "DaemonReload", "None"];

const machineConfiguration: Subject = {
  title: "a MachineConfiguration",
  mock: "machineconfigurations.yaml",
  genuine: [{ file: "openshift/machineconfigurations.yaml" }],
  mentioned: {
    "impact of a drain": ["files", "units", "sshkey"].map((key) => `${status}.clusterPolicies.${key}`),
    simulator: [spec, "status.observedGeneration"],
  },
  sample: {
    apiVersion: "operator.openshift.io/v1",
    kind: "MachineConfiguration",
    metadata: { name: "cluster" },
    spec: {
      managementState: "Managed",
      logLevel: "Normal",
      operatorLogLevel: "Normal",
      nodeDisruptionPolicy: policies,
    },
    status: {
      observedGeneration: 1,
      conditions: [fullCondition],
      nodeDisruptionPolicyStatus: { clusterPolicies: policies },
    },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.managementState", good: ["Unmanaged"], bad: ["Ignored", ""] },
    { path: "spec.logLevel", good: ["Debug"], bad: ["Loud"] },
    { path: "spec.operatorLogLevel", good: ["Debug"], bad: ["Loud"] },
    ...policyFields(spec, types),
    { path: "status", good: [{}] },
    { path: "status.observedGeneration", good: [0] },
    ...conditionFields("status.conditions", { areUnique: true }),
    { path: status, good: [{}] },
    ...policyFields(`${status}.clusterPolicies`, [...types, "Special"]),
  ],
};

export const disruptionPolicies: readonly Subject[] = [machineConfiguration];
