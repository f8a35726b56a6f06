// The kinds that the pages read, and their watches. The server rejects requests for all other kinds.

import { configKind, fieldManagers, usualOperatorNamespaces } from "@virt/api";
import { hcoVersions } from "@virt/cluster";

/** Mirrors the resource type of @virt/kube, which a browser cannot load. */
type KindPlace = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
};

/** The place of a kind in the API, and the objects to select. */
export type WatchedKind = {
  readonly resource: KindPlace;
  readonly selection?: { readonly fieldSelector: string };
  /** Namespaces to list if the user may not list all of them. */
  readonly fallbackNamespaces?: readonly string[];
};

const cluster = (group: string, version: string, plural: string): KindPlace => ({
  group,
  version,
  plural,
  isNamespaced: false,
});
const namespaced = (group: string, version: string, plural: string): KindPlace => ({
  group,
  version,
  plural,
  isNamespaced: true,
});

const machineConfiguration = "machineconfiguration.openshift.io";
const events = namespaced("events.k8s.io", "v1", "events");
const leases = namespaced("coordination.k8s.io", "v1", "leases");

/** Pages and server use the keys as names. */
export const watchedKinds = {
  configs: { resource: cluster(configKind.group, configKind.version, configKind.plural) },
  nodes: { resource: cluster("", "v1", "nodes") },
  pools: { resource: cluster(machineConfiguration, "v1", "machineconfigpools") },
  machineConfigNodes: { resource: cluster(machineConfiguration, "v1", "machineconfignodes") },
  vms: { resource: namespaced("kubevirt.io", "v1", "virtualmachineinstances") },
  reports: {
    resource: namespaced("", "v1", "configmaps"),
    selection: { fieldSelector: "metadata.name=virt-platform-operator-report" },
    fallbackNamespaces: usualOperatorNamespaces.platform,
  },
  advisorLeases: {
    resource: leases,
    selection: { fieldSelector: "metadata.name=8f83cc6e.kubevirt.io" },
    fallbackNamespaces: usualOperatorNamespaces.advisor,
  },
  platformLeases: {
    resource: leases,
    selection: { fieldSelector: "metadata.name=virt-platform-operator.kubevirt.io" },
    fallbackNamespaces: usualOperatorNamespaces.platform,
  },
  advisorEvents: {
    resource: events,
    selection: { fieldSelector: `reportingController=${fieldManagers.advisor}` },
    fallbackNamespaces: ["default"],
  },
  platformEvents: {
    resource: events,
    selection: { fieldSelector: `reportingController=${fieldManagers.platform}` },
    fallbackNamespaces: ["default"],
  },
} as const satisfies Readonly<Record<string, WatchedKind>>;

/** The name of a watched kind in requests of pages. */
export type WatchedName = keyof typeof watchedKinds;

/** Reports whether the name is a key of `watchedKinds`. Ignores inherited members such as `toString`. */
export function isWatchedName(name: string): name is WatchedName {
  return Object.hasOwn(watchedKinds, name);
}

/** Objects that plans and assets write. A page may read and annotate them as the user. */
const targets: readonly (KindPlace & { readonly kind: string })[] = [
  { ...cluster(machineConfiguration, "v1", "machineconfigs"), kind: "MachineConfig" },
  { ...cluster(machineConfiguration, "v1", "kubeletconfigs"), kind: "KubeletConfig" },
  ...hcoVersions.map((apiVersion) => {
    const [group = "", version = ""] = apiVersion.split("/");
    return { ...namespaced(group, version, "hyperconvergeds"), kind: "HyperConverged" };
  }),
  { ...namespaced("operator.openshift.io", "v1", "kubedeschedulers"), kind: "KubeDescheduler" },
  { ...cluster("aaq.kubevirt.io", "v1alpha1", "aaqs"), kind: "AAQ" },
  { ...namespaced("forklift.konveyor.io", "v1beta1", "forkliftcontrollers"), kind: "ForkliftController" },
  { ...namespaced("metallb.io", "v1beta1", "metallbs"), kind: "MetalLB" },
  { ...namespaced("monitoring.coreos.com", "v1", "prometheusrules"), kind: "PrometheusRule" },
  { ...namespaced("monitoring.coreos.com", "v1", "servicemonitors"), kind: "ServiceMonitor" },
  { ...cluster("observability.openshift.io", "v1alpha1", "uiplugins"), kind: "UIPlugin" },
  { ...cluster("remediation.medik8s.io", "v1alpha1", "nodehealthchecks"), kind: "NodeHealthCheck" },
  {
    ...namespaced("self-node-remediation.medik8s.io", "v1alpha1", "selfnoderemediationtemplates"),
    kind: "SelfNodeRemediationTemplate",
  },
  { ...namespaced("apps", "v1", "daemonsets"), kind: "DaemonSet" },
  { ...namespaced("", "v1", "services"), kind: "Service" },
];

/** Returns the resource of a target kind, by default the first listed one, or undefined if pages may not read it. */
export function targetResource(kind: string, apiVersion?: string): KindPlace | undefined {
  return targets.find(
    (target) => target.kind === kind && (apiVersion ?? apiVersionOf(target)) === apiVersionOf(target),
  );
}

/** Reports whether a plan may target objects of this resource. */
export function isTargetResource({ group, version, plural, isNamespaced }: KindPlace): boolean {
  return targets.some(
    (target) =>
      target.group === group &&
      target.version === version &&
      target.plural === plural &&
      target.isNamespaced === isNamespaced,
  );
}

function apiVersionOf({ group, version }: KindPlace): string {
  return group === "" ? version : `${group}/${version}`;
}
