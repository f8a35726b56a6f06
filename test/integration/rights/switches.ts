// The rights that each switch on the HyperConverged requires.

import type { Permissions } from "./people.ts";

export const onHco: Permissions = { group: "hco.kubevirt.io", resource: "hyperconvergeds" };
const machineConfigs: Permissions = { group: "machineconfiguration.openshift.io", resource: "machineconfigs" };
const kubeletConfigs: Permissions = { group: "machineconfiguration.openshift.io", resource: "kubeletconfigs" };
export const rebooting: readonly Permissions[] = [machineConfigs, kubeletConfigs];
const deschedulers: Permissions = { group: "operator.openshift.io", resource: "kubedeschedulers" };
const dashboards: Permissions = { group: "perses.dev", resource: "persesdashboards" };
const uiPlugins: Permissions = { group: "observability.openshift.io", resource: "uiplugins" };
const ruleSets: Permissions = { group: "ifo.kubevirt.io", resource: "operationrulesets" };
const migrationPolicies: Permissions = { group: "migrations.kubevirt.io", resource: "migrationpolicies" };
export const everything: readonly Permissions[] = [
  machineConfigs,
  kubeletConfigs,
  deschedulers,
  { group: "", resource: "services" },
  { group: "monitoring.coreos.com", resource: "servicemonitors" },
  { group: "monitoring.coreos.com", resource: "prometheusrules" },
  { group: "remediation.medik8s.io", resource: "nodehealthchecks" },
  { group: "forklift.konveyor.io", resource: "forkliftcontrollers" },
  { group: "metallb.io", resource: "metallbs" },
  uiPlugins,
  dashboards,
  ruleSets,
  migrationPolicies,
];

export const switches: readonly { readonly key: string; readonly needs: readonly Permissions[] }[] = [
  { key: "vfio-devices", needs: [machineConfigs] },
  { key: "enable-swap", needs: [machineConfigs] },
  { key: "enable-pci-passthrough", needs: [machineConfigs] },
  { key: "enable-loadaware", needs: [machineConfigs, deschedulers, dashboards] },
  { key: "enable-kubelet-performance-settings", needs: [kubeletConfigs] },
  { key: "enable-numa", needs: [kubeletConfigs] },
  { key: "feature-gates", needs: [kubeletConfigs] },
  { key: "enable-node-health-check", needs: [{ group: "remediation.medik8s.io", resource: "nodehealthchecks" }] },
  { key: "enable-mtv", needs: [{ group: "forklift.konveyor.io", resource: "forkliftcontrollers" }] },
  { key: "enable-metallb", needs: [{ group: "metallb.io", resource: "metallbs" }] },
  { key: "enable-observability", needs: [uiPlugins, dashboards] },
  { key: "enable-korrel8r", needs: [uiPlugins] },
  { key: "enable-in-flight-operations", needs: [ruleSets] },
  { key: "enable-stun-time", needs: [migrationPolicies] },
  { key: "enable-scsi-persistent-reservations", needs: [machineConfigs] },
  { key: "autopilot", needs: everything },
  { key: "prune", needs: everything },
  { key: "disabled-resources", needs: everything },
  { key: "enable-something-new", needs: everything },
];
