// A cluster with objects to gather, and with secrets that must not be gathered.

/** In a Secret, and in a ConfigMap of another component. */
export const canary = "c2VjcmV0LW9mLXRoZS10ZXN0";

export const place = "virt-platform-operator-system";

const targetRef = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  namespace: place,
};

export const plan = { phase: "ReviewRequired", items: [{ name: "descheduler", state: "Pending", targetRef }] };

const metadata = (name: string, more: object = {}) => ({ name, namespace: place, ...more });
const labels = { "platform.kubevirt.io/managed-by": "virt-platform-operator" };
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "manager", image: "any" }] } };
const machines = "machineconfiguration.openshift.io/v1";

export const situation: readonly object[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: place } },
  { apiVersion: "v1", kind: "Secret", metadata: metadata("token", { labels }), data: { token: canary } },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadata("virt-platform-operator-report"),
    data: { "report.json": "{}" },
  },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadata("virt-platform-operator-governance"),
    data: { "governance.json": "{}" },
  },
  { apiVersion: "v1", kind: "ConfigMap", metadata: metadata("of-somebody-else"), data: { password: canary } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: metadata("default") },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata("manager-1", { labels: { "app.kubernetes.io/name": "virt-platform-operator" } }),
    spec: { ...template.spec, nodeName: "gone" },
  },
  { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: metadata("virt-platform-operator.kubevirt.io") },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadata("virt-platform-operator-controller-manager"),
    spec: { selector: { matchLabels: { a: "b" } }, template },
  },
  {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "one", namespace: "default" },
    eventTime: "2026-11-15T00:00:00.000000Z",
    reportingController: "virt-platform-operator",
    reportingInstance: "pod-1",
    action: "Apply",
    reason: "AssetApplied",
    type: "Normal",
    note: "applied",
  },
  { apiVersion: machines, kind: "MachineConfigPool", metadata: { name: "worker" }, spec: {} },
  { apiVersion: machines, kind: "KubeletConfig", metadata: { name: "virt-perf", labels }, spec: {} },
  { apiVersion: "operator.openshift.io/v1", kind: "KubeDescheduler", metadata: metadata("cluster"), spec: {} },
  {
    apiVersion: "hco.kubevirt.io/v1beta1",
    kind: "HyperConverged",
    metadata: { name: "kubevirt-hyperconverged", namespace: "openshift-cnv" },
    spec: {},
  },
  {
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name: "load-aware-rebalancing" },
    spec: { profile: "load-aware-rebalancing", action: "DryRun" },
  },
];
