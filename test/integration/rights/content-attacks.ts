import type { JsonMap } from "@virt/api";
import type { ControllerName } from "../../support/account.ts";

/** `on` is a kind, or a kind and the name of an object. */
export type ContentAttack = { readonly attack: string; readonly on: string; readonly body: JsonMap };

const on = (target: string, attacks: Readonly<Record<string, JsonMap>>): readonly ContentAttack[] =>
  Object.entries(attacks).map(([attack, body]) => ({ attack, on: target, body }));

const spec = (members: JsonMap): JsonMap => ({ spec: members });
const annotations = (members: JsonMap): JsonMap => ({ metadata: { annotations: members } });
const kubelet = (members: JsonMap): JsonMap => spec({ kubeletConfig: members });
const owner = { apiVersion: "v1", kind: "ConfigMap", name: "soon-deleted", uid: "1" };

export const metadataAttacks: Readonly<Record<string, JsonMap>> = {
  "add a foreign label": { metadata: { labels: { hostile: "true" } } },
  "add a foreign annotation": annotations({ "hostile.example.com/run": "true" }),
  "add an owner whose deletion deletes it": { metadata: { ownerReferences: [owner] } },
  "add a finalizer that keeps it": { metadata: { finalizers: ["hostile.example.com/keep"] } },
};

const onHyperConverged = on("HyperConverged", {
  "patch KubeVirt by annotation": annotations({ "kubevirt.kubevirt.io/jsonpatch": "[]" }),
  "let an uninstallation delete VMs": spec({ uninstallStrategy: "RemoveWorkloads" }),
  "remove the settings of another client": spec({ workloads: null }),
  "change the settings of another client": spec({ workloads: { nodePlacement: { nodeSelector: { ours: "false" } } } }),
  "block every drain": spec({ evictionStrategy: "External" }),
  "enable a feature gate": spec({ featureGates: { deployKubeSecondaryDNS: true } }),
  "move VMs to its own nodes": spec({ workloads: { nodePlacement: { nodeSelector: { hostile: "true" } } } }),
  "remove the whole spec": { spec: null },
});

const onDescheduler = on("KubeDescheduler", {
  "stop the descheduler": spec({ managementState: "Removed" }),
  "choose another profile": spec({ profiles: ["LifecycleAndUtilization"] }),
  "choose no profile": spec({ profiles: null }),
  "run without a pause": spec({ deschedulingIntervalSeconds: 1 }),
  "evict everything at once": spec({ evictionLimits: { total: 1_000_000 } }),
  "evict from all namespaces": spec({ profileCustomizations: { namespaces: { included: ["kube-system"] } } }),
  "evict new pods": spec({ profileCustomizations: { podLifetime: "1s" } }),
  "reset the state to its default": spec({ managementState: null }),
});

const onMachineConfigs = on("MachineConfig", {
  "empty the spec": { spec: null },
  "disable FIPS": spec({ fips: false }),
  "choose another kernel": spec({ kernelType: "realtime" }),
  "add a kernel argument": spec({ kernelArguments: ["psi=1", "selinux=0"] }),
  "boot another image": spec({ osImageURL: "hostile.example.com/os" }),
  "configure control plane nodes": {
    metadata: { labels: { "machineconfiguration.openshift.io/role": "infra" } },
  },
  "add a file": spec({ config: { storage: { files: [{ path: "/etc/cron.d/evil" }] } } }),
  "add a unit": spec({ config: { systemd: { units: [{ name: "evil.service", enabled: true }] } } }),
  "add an SSH key": spec({ config: { passwd: { users: [{ name: "core", sshAuthorizedKeys: ["ssh-rsa A"] }] } } }),
});

const byPlatform: readonly ContentAttack[] = [
  ...on("HyperConverged", {
    "turn a switch of the platform controller": annotations({ "platform.kubevirt.io/enable-aaq": "true" }),
    "set a patch of its own": annotations({ "platform.kubevirt.io/patch": "[]" }),
    "lift the limit of migrations": spec({ liveMigrationConfig: { parallelMigrationsPerCluster: 1000 } }),
    "use post-copy": spec({ liveMigrationConfig: { allowPostCopy: true } }),
    "migrate over its own network": spec({ liveMigrationConfig: { network: "hostile" } }),
    "permit every device": spec({
      permittedHostDevices: { pciHostDevices: [{ pciDeviceSelector: "*", resourceName: "a.b/c" }] },
    }),
    "overcommit more memory": spec({ higherWorkloadDensity: { memoryOvercommitPercentage: 300 } }),
  }),
  ...on("KubeletConfig", {
    "allow anonymous kubelet requests": kubelet({ authentication: { anonymous: { enabled: true } } }),
    "disable kubelet authorization": kubelet({ authorization: { mode: "AlwaysAllow" } }),
    "configure control plane nodes": spec({
      machineConfigPoolSelector: {
        matchLabels: {
          "pools.operator.machineconfiguration.openshift.io/master": "",
          "pools.operator.machineconfiguration.openshift.io/worker": null,
        },
      },
    }),
    "configure every pool": spec({ machineConfigPoolSelector: null }),
    "allow unsafe sysctls": kubelet({ allowedUnsafeSysctls: ["*"] }),
    "run too many pods": kubelet({ maxPods: 5000 }),
    "log everything": spec({ logLevel: 10 }),
  }),
  ...on("NodeHealthCheck", {
    "remediate healthy nodes": spec({ unhealthyConditions: [{ type: "Ready", status: "True", duration: "1s" }] }),
    "remediate all nodes at once": spec({ minHealthy: "0%" }),
    "remediate control plane nodes": spec({ selector: { matchExpressions: [] } }),
    "use another template": spec({ remediationTemplate: { name: "hostile" } }),
    "use a template of another namespace": spec({ remediationTemplate: { namespace: "elsewhere" } }),
    "allow any number of unhealthy nodes": spec({ maxUnhealthy: "100%", minHealthy: null }),
  }),
  ...on("ForkliftController", {
    "disable validation": spec({ feature_validation: "false" }),
    "disable the console": spec({ feature_ui_plugin: "false" }),
    "disable populators": spec({ feature_volume_populator: "false" }),
  }),
  ...on("MetalLB", {
    "move MetalLB speakers": spec({ nodeSelector: { hostile: "true" } }),
    "log everything": spec({ logLevel: "all" }),
  }),
  ...on("UIPlugin troubleshooting-panel", {
    "cancel its searches": spec({ troubleshootingPanel: { timeout: "1s" } }),
  }),
  ...on("UIPlugin monitoring", {
    "disable dashboards": spec({ monitoring: { perses: { enabled: false } } }),
    "remove the dashboards": spec({ monitoring: null }),
  }),
  ...on("OperationRuleSet", {
    "detect an operation all the time": spec({ rules: [{ operation: "Running", expression: "true" }] }),
    "read secrets": spec({ target: { group: "", version: "v1", resource: "secrets" } }),
    "read another version": spec({ target: { version: "v1alpha9" } }),
    "copy content into labels": spec({ labelExpressions: [{ key: "a", expression: "object.metadata.name" }] }),
    "ignore most namespaces": spec({ namespaces: ["hostile"] }),
    "name another component": spec({ component: "hostile" }),
    "add a label to every operation": spec({ labels: { hostile: "true" } }),
    "detect nothing": spec({ rules: [{ operation: "Running", expression: "false" }] }),
  }),
  ...on("PersesDashboard", {
    "show other queries": spec({
      config: { panels: { hostile: { kind: "Panel", spec: { plugin: { kind: "a", spec: {} } } } } },
    }),
    "show an empty panel": spec({ config: { panels: { panel1: { spec: { queries: null } } } } }),
    "hide the panels": spec({ config: { layouts: [] } }),
    "choose another title": spec({ config: { display: { name: "hostile" } } }),
    "reload all the time": spec({ config: { refreshInterval: "1ms" } }),
  }),
  ...on("MigrationPolicy", {
    "exempt VMs": spec({ selectors: { namespaceSelector: { hostile: "true" } } }),
    "allow long pauses": spec({ maxDowntimeMs: 2_000_000 }),
    "use post-copy": spec({ allowPostCopy: true }),
    "stop the tuning": spec({ experimental: null }),
    "tune in another way": spec({ experimental: { downtimeTuning: { initialMs: 2_000_000 } } }),
  }),
  ...on("PrometheusRule", {
    "remove the alerts": spec({ groups: [] }),
    "add a rule": spec({ groups: [{ name: "hostile", rules: [{ record: "up", expr: "vector(1)" }] }] }),
  }),
  ...on("ServiceMonitor", {
    "scrape every namespace": spec({ namespaceSelector: { any: true } }),
    "scrape everything": spec({ selector: { matchLabels: null } }),
    "send the token of Prometheus elsewhere": spec({
      endpoints: [{ port: "metrics", bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" }],
    }),
  }),
  ...on("Service", {
    "expose it publicly": spec({ type: "LoadBalancer" }),
    "claim an external IP": spec({ externalIPs: ["203.0.113.7"] }),
    "send scrapes to another pod": spec({ selector: { "app.kubernetes.io/name": "hostile" } }),
    "open another port": spec({ ports: [{ name: "metrics", port: 22, protocol: "TCP", targetPort: 22 }] }),
    "issue a certificate into another Secret": annotations({
      "service.beta.openshift.io/serving-cert-secret-name": "hostile",
    }),
  }),
];

const byAdvisor: readonly ContentAttack[] = [
  ...on("HyperConverged", {
    "lift the limit of migrations": spec({ liveMigrationConfig: { parallelMigrationsPerCluster: 1000 } }),
    "overcommit memory tenfold": spec({ higherWorkloadDensity: { memoryOvercommitPercentage: 1000 } }),
    "permit a device": spec({
      permittedHostDevices: { pciHostDevices: [{ pciDeviceSelector: "10DE:1EB8", resourceName: "a.b/c" }] },
    }),
    "stop VMs on drains": spec({ evictionStrategy: "None" }),
    "turn a switch of the platform controller": annotations({ "platform.kubevirt.io/enable-aaq": "true" }),
    "migrate in a day per GiB": spec({ liveMigrationConfig: { completionTimeoutPerGiB: 86_400 } }),
    "migrate over a network with a foreign name": spec({ liveMigrationConfig: { network: "a/b" } }),
  }),
  ...on("MigrationPolicy", {
    "stop VMs for an hour": spec({ maxDowntimeMs: 2_000_000 }),
    "allow migrations that stop VMs": spec({ allowWorkloadDisruption: true }),
    "migrate at any rate": spec({ bandwidthPerMigration: "1000000000" }),
  }),
  ...on("NodeHealthCheck", {
    "remediate nodes that are ready": spec({
      unhealthyConditions: [{ type: "Ready", status: "True", duration: "300s" }],
    }),
    "remediate after a second": spec({ unhealthyConditions: [{ type: "Ready", status: "False", duration: "1s" }] }),
    "select all nodes": spec({ selector: { matchExpressions: null, matchLabels: {} } }),
    "use a template of another kind": spec({ remediationTemplate: { kind: "MachineDeletionRemediationTemplate" } }),
    "require more nodes than options allow": spec({ minHealthy: 10_000 }),
  }),
  ...on("KubeDescheduler", {
    "set a patch for the platform controller": annotations({ "platform.kubevirt.io/patch": "[]" }),
    "override the operator's configuration": spec({ unsupportedConfigOverrides: { hostile: true } }),
  }),
  ...on("ConfigMap", {
    "change the example": { data: { "example-key": "hostile" } },
    "add data": { data: { hostile: "true" } },
    "remove the data": { data: null },
    "add binary data": { binaryData: { hostile: "aGk=" } },
    "make it immutable": { immutable: true },
  }),
];

export const contentAttacks: Readonly<Record<ControllerName, readonly ContentAttack[]>> = {
  advisor: [...onHyperConverged, ...onDescheduler, ...onMachineConfigs, ...byAdvisor],
  platform: [...onHyperConverged, ...onDescheduler, ...onMachineConfigs, ...byPlatform],
};
