// Simulates virt-platform-autopilot, the Go operator in OpenShift Virtualization. It always forces its applies.

import { roleLabel } from "@virt/cluster";
import { asList, asNumber, asText, at, isMap, type JsonMap, type KubeObject, member } from "@virt/objects";
import {
  type ClusterState,
  findNamespaced,
  findObject,
  hcoField,
  hyperConvergedObject,
  isKind,
  withTransitionTimes,
} from "../cluster-state.ts";
import { machineConfigApi } from "../node-state.ts";
import { type ObjectWrite, patchFor } from "../object-writes.ts";
import { file, machineConfigObject } from "../objects/pools.ts";

const manager = "virt-platform-autopilot";
const platform = "platform.kubevirt.io";
const managedBy = `${platform}/managed-by`;

/**
 * Applies after every change. The real autopilot also applies every 5 minutes, because it misses some changes. The
 * simulation sees every change, so it stays idle in an idle cluster.
 */
export function reconcileAutopilot(cluster: ClusterState): readonly ObjectWrite[] {
  const statuses = cluster.list("Deployment").map((deployment) => deploymentStatus(cluster, deployment));
  const hco = hyperConvergedObject(cluster);
  if (hco === undefined || !isRunning(cluster, hco)) return statuses;
  return [...statuses, ...wantedObjects(cluster, hco).flatMap((object) => applyObject(cluster, object))];
}

function isRunning(cluster: ClusterState, { metadata: { namespace = "", annotations = {} } }: KubeObject): boolean {
  const deployment = findNamespaced(cluster, "Deployment", `${namespace}/${manager}`);
  const isOff = annotations[`${platform}/autopilot`]?.trim() === "false";
  return deployment !== undefined && replicasOf(deployment) > 0 && !isOff;
}

function replicasOf(deployment: KubeObject): number {
  return asNumber(at(deployment, "spec", "replicas")) ?? 1;
}

// The API server omits counts of 0, and returns null for an absent `lastUpdateTime`.
function deploymentStatus(cluster: ClusterState, deployment: KubeObject): ObjectWrite {
  const count = replicasOf(deployment) || null;
  const conditions = withTransitionTimes(
    deployment,
    [
      {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      },
    ],
    cluster.timestamp,
  ).map((condition) => ({ ...condition, lastUpdateTime: condition["lastTransitionTime"] ?? null }));
  const status = {
    observedGeneration: deployment.metadata.generation ?? 1,
    replicas: count,
    updatedReplicas: count,
    readyReplicas: count,
    availableReplicas: count,
    conditions,
  };
  return {
    kind: "set",
    object: deployment,
    fields: { status },
    isStatus: true,
    manager: "kube-controller-manager",
    event: `deployment ${deployment.metadata.name} is scaled to ${count ?? 0}`,
  };
}

function applyObject(cluster: ClusterState, wanted: KubeObject): readonly ObjectWrite[] {
  const { kind, metadata } = wanted;
  const { name, namespace } = metadata;
  if (!isKind(kind) || cluster.servedVersion(kind) === undefined) return [];
  if (namespace !== undefined && findObject(cluster, "Namespace", namespace) === undefined) return [];
  const object = { ...wanted, metadata: { ...metadata, labels: { ...metadata.labels, [managedBy]: manager } } };
  const live =
    namespace === undefined ? findObject(cluster, kind, name) : findNamespaced(cluster, kind, `${namespace}/${name}`);
  const { [`${platform}/mode`]: mode, [`${platform}/reconcile-paused`]: paused } = live?.metadata.annotations ?? {};
  const isSkipped = mode === "unmanaged" || paused === "true" || patchFor(live, object) === undefined;
  return isSkipped ? [] : [{ kind: "apply", object, manager, event: `autopilot applies ${kind} ${name}` }];
}

/** Returns the objects that matter to the tests, as OpenShift Virtualization 5.0 applies them. */
function wantedObjects(cluster: ClusterState, hco: KubeObject): readonly KubeObject[] {
  const isOn = (name: string) => hco.metadata.annotations?.[`${platform}/enable-${name}`] === "true";
  return [
    hyperConverged(hco),
    swap,
    monitoring,
    troubleshooting, // on by default since 5.0; earlier releases require `enable-korrel8r`
    ...loadAwareObjects(cluster, hco),
    ...(isOn("pci-passthrough") ? [kernelArguments("50-virt-pci-passthrough", "worker", pciPassthrough)] : []),
    ...(isOn("metallb") ? [metalLb] : []),
    ...(isOn("mtv") ? [forklift] : []),
  ];
}

// The spec is empty, so this takes over no fields from other managers.
function hyperConverged({ apiVersion, metadata: { name, namespace = "" } }: KubeObject): KubeObject {
  const annotations = { [managedBy]: manager, [`${platform}/version`]: "1.0.0" };
  return { apiVersion, kind: "HyperConverged", metadata: { name, namespace, annotations }, spec: {} };
}

function loadAwareObjects(cluster: ClusterState, hco: KubeObject): readonly KubeObject[] {
  const definition = findObject(cluster, "CustomResourceDefinition", "kubedeschedulers.operator.openshift.io");
  if (definition === undefined) return [];
  const scheduler = findObject(cluster, "Scheduler", "cluster");
  const roles = at(scheduler, "spec", "mastersSchedulable") === true ? ["worker", "master"] : ["worker"];
  return [
    ...roles.map((role) => kernelArguments(`99-openshift-machineconfig-${role}-psi-karg`, role, ["psi=1"])),
    descheduler(definition, hco),
  ];
}

function kernelArguments(name: string, role: string, wanted: readonly string[]): KubeObject {
  const metadata = { name, labels: { [roleLabel]: role } };
  return { apiVersion: machineConfigApi, kind: "MachineConfig", metadata, spec: { kernelArguments: wanted } };
}

const pciPassthrough = ["intel_iommu=on", "iommu=pt"];

const relieveAndMigrate = "KubeVirtRelieveAndMigrate";
const longLifecycle = "LongLifecycle";

function descheduler(definition: KubeObject, hco: KubeObject): KubeObject {
  const { profiles, limits } = knownFields(definition);
  const preferred = [relieveAndMigrate, `Dev${relieveAndMigrate}`, longLifecycle];
  const profile = preferred.find((name) => profiles.includes(name)) ?? `Dev${relieveAndMigrate}`;
  const setting = (name: string) => asNumber(hcoField(hco, "liveMigrationConfig", name));
  const evictionLimits = Object.entries({
    total: setting("parallelMigrationsPerCluster") ?? 5,
    node: setting("parallelOutboundMigrationsPerNode") ?? 2,
  }).filter(([name]) => limits.includes(name));
  return {
    apiVersion: "operator.openshift.io/v1",
    kind: "KubeDescheduler",
    metadata: { name: "cluster", namespace: "openshift-kube-descheduler-operator" },
    spec: {
      managementState: "Managed",
      mode: "Automatic",
      deschedulingIntervalSeconds: 60,
      profiles: [profile],
      ...(profile === longLifecycle && { profileCustomizations: { devEnableEvictionsInBackground: true } }),
      ...(evictionLimits.length > 0 && { evictionLimits: Object.fromEntries(evictionLimits) }),
    },
  };
}

/** Returns the profiles and limits that the CRD allows, because an apply with any other fails. */
function knownFields(definition: KubeObject): Readonly<Record<"profiles" | "limits", readonly string[]>> {
  const [version] = asList(at(definition, "spec", "versions")).filter((each) => member(each, "served") === true);
  const spec = at(version, "schema", "openAPIV3Schema", "properties", "spec", "properties");
  const profiles = asList(at(spec, "profiles", "items", "enum")).flatMap((name) => asText(name) ?? []);
  const limits = at(spec, "evictionLimits", "properties");
  return { profiles, limits: isMap(limits) ? Object.keys(limits) : [] };
}

const swapDropIn = [
  "apiVersion: kubelet.config.k8s.io/v1beta1",
  "kind: KubeletConfiguration",
  "failSwapOn: false",
  "memorySwap:",
  "  swapBehavior: LimitedSwap",
  "",
].join("\n");

/** Lacks the systemd units and scripts of the real MachineConfig. The simulated kubelet needs only the drop-in. */
const swap = machineConfigObject("90-worker-swap-online", "worker", {
  files: [file("/etc/openshift/kubelet.conf.d/90-swap.conf", swapDropIn)],
});

function uiPlugin(name: string, spec: JsonMap): KubeObject {
  return { apiVersion: "observability.openshift.io/v1alpha1", kind: "UIPlugin", metadata: { name }, spec };
}

const monitoring = uiPlugin("monitoring", { type: "Monitoring", monitoring: { perses: { enabled: true } } });
const troubleshooting = uiPlugin("troubleshooting-panel", { type: "TroubleshootingPanel" });

const metalLb: KubeObject = {
  apiVersion: "metallb.io/v1beta1",
  kind: "MetalLB",
  metadata: { name: "metallb", namespace: "metallb-system" },
  spec: {},
};

const forklift: KubeObject = {
  apiVersion: "forklift.konveyor.io/v1beta1",
  kind: "ForkliftController",
  metadata: { name: "forklift-controller", namespace: "openshift-mtv" },
  spec: { feature_ui_plugin: "true", feature_validation: "true", feature_volume_populator: "true" },
};
