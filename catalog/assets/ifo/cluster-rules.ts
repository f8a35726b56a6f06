// Operations of the cluster that runs OpenShift Virtualization: its nodes, networks, backups, operators and updates.

import {
  compareWith,
  conditionHasReason,
  conditionsAre,
  conditionTrue,
  conditionWithout,
  firstHas,
  isTrue,
  phaseIs,
} from "./expressions.ts";
import { clusterStates, type Operations, phaseOperations, type RuleSet } from "./rule-set.ts";

const fenceAction = (reason: string) => conditionHasReason("FenceAgentActionSucceeded", "False", reason);

const nodes: readonly RuleSet[] = [
  {
    name: "fenceagentsremediation",
    component: "far",
    target: {
      group: "fence-agents-remediation.medik8s.io",
      version: "v1alpha1",
      resource: "fenceagentsremediations",
    },
    operations: {
      Remediating: conditionTrue("Processing"),
      Failing: fenceAction("Failing"),
      TimingOut: fenceAction("TimingOut"),
    },
  },
  {
    name: "nodemaintenance",
    component: "nodemaintenance",
    target: { group: "nodemaintenance.medik8s.io", version: "v1beta1", resource: "nodemaintenances" },
    operations: { Draining: phaseIs("Running") },
  },
];

const networkConfig = (role: "root" | "child") =>
  ({ component: "nmstate", correlation: { group: "network-config", role } }) as const satisfies Partial<RuleSet>;

const network: readonly RuleSet[] = [
  {
    ...networkConfig("child"),
    name: "nnce",
    target: { group: "nmstate.io", version: "v1beta1", resource: "nodenetworkconfigurationenactments" },
    operations: {
      Configuring: conditionTrue("Progressing"),
      Pending: conditionTrue("Pending"),
      Failing: conditionTrue("Failing"),
    },
  },
  {
    ...networkConfig("root"),
    name: "nncp",
    target: { group: "nmstate.io", version: "v1", resource: "nodenetworkconfigurationpolicies" },
    operations: {
      Configuring: conditionWithout("Progressing", "Degraded"),
      ConfiguringDegraded: conditionsAre({ Progressing: "True", Degraded: "True" }),
    },
  },
];

const dataProtection = (role: "root" | "child") =>
  ({ component: "oadp", correlation: { group: "data-protection", role } }) as const satisfies Partial<RuleSet>;
const velero = (version: string, resource: string) => ({ group: "velero.io", version, resource });
const orPartiallyFailed = (phase: string) => phaseIs(phase, `${phase}PartiallyFailed`);
const wholeBackup = {
  operations: {
    ...phaseOperations("InProgress"),
    WaitingForPluginOperations: orPartiallyFailed("WaitingForPluginOperations"),
    Finalizing: orPartiallyFailed("Finalizing"),
  },
};
const transfer = {
  operations: { InProgress: phaseIs("Accepted", "Prepared", "InProgress"), ...phaseOperations("Canceling") },
};

const backups: readonly RuleSet[] = [
  { ...dataProtection("root"), ...wholeBackup, name: "velero-backup", target: velero("v1", "backups") },
  { ...dataProtection("root"), ...wholeBackup, name: "velero-restore", target: velero("v1", "restores") },
  {
    ...dataProtection("root"),
    name: "velero-deletebackuprequest",
    target: velero("v1", "deletebackuprequests"),
    operations: { Deleting: phaseIs("InProgress") },
  },
  { ...dataProtection("child"), ...transfer, name: "velero-datadownload", target: velero("v2alpha1", "datadownloads") },
  { ...dataProtection("child"), ...transfer, name: "velero-dataupload", target: velero("v2alpha1", "datauploads") },
  { ...dataProtection("child"), ...transfer, name: "velero-podvolumebackup", target: velero("v1", "podvolumebackups") },
  {
    ...dataProtection("child"),
    ...transfer,
    name: "velero-podvolumerestore",
    target: velero("v1", "podvolumerestores"),
  },
];

const installation = (role: "root" | "child") =>
  ({ component: "olm", correlation: { group: "olm-install", role } }) as const satisfies Partial<RuleSet>;
const olm = (resource: string) => ({ group: "operators.coreos.com", version: "v1alpha1", resource });

const operators: readonly RuleSet[] = [
  {
    ...installation("child"),
    name: "csv",
    target: olm("clusterserviceversions"),
    operations: { ...phaseOperations("Pending", "Installing", "Replacing", "Deleting"), Failing: phaseIs("Failed") },
  },
  {
    ...installation("child"),
    name: "installplan",
    target: olm("installplans"),
    operations: phaseOperations("Planning", "Installing", "RequiresApproval"),
  },
  {
    ...installation("root"),
    name: "subscription",
    target: olm("subscriptions"),
    operations: {
      Unpacking: conditionTrue("BundleUnpacking"),
      InstallPlanPending: conditionTrue("InstallPlanPending"),
    },
  },
];

const ofOpenShift = { component: "openshift" } as const;
const update = (role: "root" | "child") =>
  ({ ...ofOpenShift, correlation: { group: "cluster-update", role } }) as const satisfies Partial<RuleSet>;
const conditions = (...types: readonly string[]): Operations =>
  Object.fromEntries(types.map((type) => [type, conditionTrue(type)]));

const openshift: readonly RuleSet[] = [
  {
    ...ofOpenShift,
    name: "build",
    isAggregated: true,
    target: { group: "build.openshift.io", version: "v1", resource: "builds" },
    operations: phaseOperations("Pending", "Running"),
  },
  {
    ...ofOpenShift,
    name: "machine",
    target: { group: "machine.openshift.io", version: "v1beta1", resource: "machines" },
    operations: phaseOperations("Provisioning", "Provisioned", "Deleting", "Failed"),
  },
  {
    ...ofOpenShift,
    name: "machineset",
    target: { group: "machine.openshift.io", version: "v1beta1", resource: "machinesets" },
    operations: {
      ScalingUp: compareWith("spec.replicas", ">", "status.readyReplicas"),
      ScalingDown: compareWith("spec.replicas", "<", "status.readyReplicas"),
    },
  },
  {
    ...update("child"),
    name: "clusteroperator",
    target: { group: "config.openshift.io", version: "v1", resource: "clusteroperators" },
    operations: clusterStates,
  },
  {
    ...update("root"),
    name: "clusterversion",
    target: { group: "config.openshift.io", version: "v1", resource: "clusterversions" },
    operations: { ...clusterStates, PartialUpdate: firstHas("status.history", "state", "Partial") },
  },
  {
    ...update("child"),
    name: "storageversionmigration",
    target: { group: "migration.k8s.io", version: "v1alpha1", resource: "storageversionmigrations" },
    operations: { Migrating: conditionTrue("Running") },
  },
  {
    ...ofOpenShift,
    name: "machineconfigpool",
    target: { group: "machineconfiguration.openshift.io", version: "v1", resource: "machineconfigpools" },
    operations: {
      Updating: conditionsAre({ Updating: "True", Degraded: "False" }),
      UpdatingDegraded: conditionsAre({ Updating: "True", Degraded: "True" }),
      Degraded: conditionsAre({ Updating: "False", Degraded: "True" }),
      ...conditions("NodeDegraded", "RenderDegraded", "Building", "BuildFailed"),
      Paused: isTrue("spec.paused"),
    },
  },
];

export const clusterRules: readonly RuleSet[] = [...nodes, ...network, ...backups, ...operators, ...openshift];
