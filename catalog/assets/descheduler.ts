// Where the descheduler is configured.

const crd = "kubedeschedulers.operator.openshift.io";
const namespace = "openshift-kube-descheduler-operator";

export const deschedulerCrd = crd;

export const deschedulerTarget = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  namespace,
  crd,
} as const;

/** What its operator records for it in Prometheus. */
export const deschedulerRules = {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  name: "descheduler-rules",
  namespace,
} as const;
