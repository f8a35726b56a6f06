// Objects that no operator may write, one of each kind that an attacker would want.

export type ForeignObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name: string;
  readonly rest?: object;
};

const thing = (apiVersion: string, kind: string, place: string, rest: object = {}): ForeignObject => {
  const [name = "", namespace] = place.split("/").toReversed();
  return { apiVersion, kind, plural: pluralOf(kind), name, ...(namespace && { namespace }), rest };
};

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (lower.endsWith("y")) return `${lower.slice(0, -1)}ies`;
  return lower.endsWith("s") ? `${lower}es` : `${lower}s`;
}

const labels = { app: "hostile" };
const containers = [{ name: "hostile", image: "hostile" }];
const template = { metadata: { labels }, spec: { containers, restartPolicy: "Always" } };
const workload = { spec: { selector: { matchLabels: labels }, template } };
const job = { spec: { template: { ...template, spec: { containers, restartPolicy: "Never" } } } };
const rbac = "rbac.authorization.k8s.io";
const roleRef = (kind: string) => ({ roleRef: { apiGroup: rbac, kind, name: "cluster-admin" } });
const crd = {
  spec: {
    group: "hostile.example.com",
    names: { kind: "Thing", plural: "things" },
    scope: "Cluster",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

const builtIn: readonly ForeignObject[] = [
  thing("v1", "Secret", "elsewhere/password"),
  thing("v1", "ConfigMap", "elsewhere/settings"),
  thing("v1", "ServiceAccount", "elsewhere/default"),
  thing("v1", "Pod", "elsewhere/program", { spec: { containers } }),
  thing("v1", "Namespace", "theirs"),
  thing("v1", "Node", "worker-1"),
  thing("v1", "Service", "elsewhere/door", { spec: { ports: [{ port: 80 }] } }),
  thing("v1", "ResourceQuota", "elsewhere/quota"),
  thing("apps/v1", "Deployment", "elsewhere/program", workload),
  thing("apps/v1", "DaemonSet", "elsewhere/wasp-agent", workload),
  thing("apps/v1", "StatefulSet", "elsewhere/program", workload),
  thing("batch/v1", "Job", "elsewhere/program", job),
  thing("batch/v1", "CronJob", "elsewhere/program", { spec: { schedule: "0 0 * * *", jobTemplate: job } }),
  thing(`${rbac}/v1`, "ClusterRole", "hostile"),
  thing(`${rbac}/v1`, "ClusterRoleBinding", "hostile", roleRef("ClusterRole")),
  thing(`${rbac}/v1`, "Role", "elsewhere/hostile"),
  thing(`${rbac}/v1`, "RoleBinding", "elsewhere/hostile", roleRef("ClusterRole")),
  thing("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hostile"),
  thing("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "hostile"),
  thing("apiextensions.k8s.io/v1", "CustomResourceDefinition", "things.hostile.example.com", crd),
  thing("apiregistration.k8s.io/v1", "APIService", "v1.hostile.example.org", {
    spec: {
      group: "hostile.example.org",
      version: "v1",
      groupPriorityMinimum: 1,
      versionPriority: 1,
      insecureSkipTLSVerify: true,
      service: { name: "door", namespace: "elsewhere" },
    },
  }),
  thing("coordination.k8s.io/v1", "Lease", "elsewhere/8f83cc6e.kubevirt.io"),
  thing("coordination.k8s.io/v1", "Lease", "elsewhere/virt-platform-operator.kubevirt.io"),
  thing("networking.k8s.io/v1", "NetworkPolicy", "elsewhere/wall", { spec: { podSelector: {} } }),
  thing("policy/v1", "PodDisruptionBudget", "elsewhere/budget"),
  thing("scheduling.k8s.io/v1", "PriorityClass", "hostile", { value: 1 }),
  thing("storage.k8s.io/v1", "StorageClass", "hostile", { provisioner: "hostile" }),
];

const machineConfiguration = "machineconfiguration.openshift.io/v1";
const monitoring = "monitoring.coreos.com/v1";

/** Kinds that we write, under other names or in other places, and kinds that we only read. */
const served: readonly ForeignObject[] = [
  thing("v1", "ConfigMap", "elsewhere/example-config"),
  thing("v1", "ConfigMap", "elsewhere/virt-platform-operator-report"),
  thing("v1", "ConfigMap", "elsewhere/virt-platform-operator-governance"),
  thing("v1", "Service", "elsewhere/virt-platform-operator-metrics", { spec: { ports: [{ port: 80 }] } }),
  thing(machineConfiguration, "MachineConfig", "00-worker"),
  thing(machineConfiguration, "MachineConfigPool", "worker", { spec: {} }),
  thing(machineConfiguration, "KubeletConfig", "theirs", { spec: {} }),
  thing("operator.openshift.io/v1", "KubeDescheduler", "elsewhere/cluster", { spec: {} }),
  thing("remediation.medik8s.io/v1alpha1", "NodeHealthCheck", "theirs"),
  thing("forklift.konveyor.io/v1beta1", "ForkliftController", "elsewhere/forklift-controller"),
  thing("metallb.io/v1beta1", "MetalLB", "elsewhere/metallb"),
  thing("observability.openshift.io/v1alpha1", "UIPlugin", "logging", { spec: { type: "Logging" } }),
  thing(monitoring, "PrometheusRule", "elsewhere/virt-platform-operator-alerts", { spec: {} }),
  thing(monitoring, "ServiceMonitor", "elsewhere/virt-platform-operator-metrics", {
    spec: { endpoints: [], selector: {} },
  }),
  thing("config.openshift.io/v1", "Infrastructure", "cluster", { spec: {} }),
  thing("config.openshift.io/v1", "Scheduler", "cluster", { spec: {} }),
  thing("config.openshift.io/v1", "Network", "cluster", { spec: {} }),
];

export const foreignToBoth = [...builtIn, ...served];

const profile = "load-aware-rebalancing";
const config = thing("advisor.kubevirt.io/v1alpha1", "VirtPlatformConfig", profile, {
  spec: { profile, action: "Apply" },
});

export const foreignTo = {
  advisor: [
    thing(machineConfiguration, "MachineConfig", "50-virt-swap-enable"),
    thing(machineConfiguration, "KubeletConfig", "virt-perf-settings", { spec: {} }),
    thing("v1", "ConfigMap", "virt-platform-operator-system/virt-platform-operator-report"),
    thing("v1", "ConfigMap", "virt-platform-operator-system/virt-platform-operator-governance"),
    thing("coordination.k8s.io/v1", "Lease", "virt-platform-operator-system/virt-platform-operator.kubevirt.io"),
    config,
  ],
  platform: [
    thing(machineConfiguration, "MachineConfig", "99-worker-psi-karg"),
    thing("v1", "ConfigMap", "openshift-cnv/example-config"),
    thing("coordination.k8s.io/v1", "Lease", "virt-advisor-operator-system/8f83cc6e.kubevirt.io"),
    config,
  ],
} as const;

export function objectOf({ apiVersion, kind, name, namespace, rest }: ForeignObject): object {
  return { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) }, ...rest };
}

export function collectionOf({ apiVersion, plural, namespace }: ForeignObject): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}

export const pathOf = (one: ForeignObject): string => `${collectionOf(one)}/${one.name}`;
