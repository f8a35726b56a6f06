// Which operator brings a CRD, by the group of its API. The administrator installs it.

const operators: Readonly<Record<string, string>> = {
  "hco.kubevirt.io": "HyperConverged Cluster Operator",
  "machineconfiguration.openshift.io": "Machine Config Operator",
  "monitoring.coreos.com": "Prometheus Operator",
  "operator.openshift.io": "Kube Descheduler Operator",
  "remediation.medik8s.io": "Node Health Check Operator",
  "self-node-remediation.medik8s.io": "Self Node Remediation Operator",
  "forklift.konveyor.io": "Migration Toolkit for Virtualization",
  "metallb.io": "MetalLB Operator",
  "observability.openshift.io": "Cluster Observability Operator",
};

/** The group itself where nobody gave its operator a name. */
export function operatorOf(crd: string): string {
  const group = crd.slice(crd.indexOf(".") + 1);
  return operators[group] ?? group;
}
