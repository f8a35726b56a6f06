import { expect, test } from "vitest";
import { renderedAsset } from "../../testing/asset-facts.ts";
import { operationRuleSets } from "./asset.ts";
import { operationRules } from "./rules.ts";

const specified = `
aaq aaq.kubevirt.io/v1alpha1 aaqs hco hco-stack/child: Deploying Reconciling ReconcilingDegraded Healing Failing Deleting Upgrading
build build.openshift.io/v1 builds openshift -: Pending Running
cdi cdi.kubevirt.io/v1beta1 cdis hco hco-stack/child: Deploying Reconciling ReconcilingDegraded Healing Failing Deleting Upgrading
clusteroperator config.openshift.io/v1 clusteroperators openshift cluster-update/child: Deploying Reconciling ReconcilingDegraded Healing Failing NotUpgradeable
clusterversion config.openshift.io/v1 clusterversions openshift cluster-update/root: Deploying Reconciling ReconcilingDegraded Healing Failing NotUpgradeable PartialUpdate
cnao networkaddonsoperator.network.kubevirt.io/v1 networkaddonsconfigs hco hco-stack/child: Deploying Reconciling ReconcilingDegraded Healing Failing
csv operators.coreos.com/v1alpha1 clusterserviceversions olm olm-install/child: Pending Installing Replacing Deleting Failing
datavolume cdi.kubevirt.io/v1beta1 datavolumes cdi -: Pending PVCBound WaitForFirstConsumer PendingPopulation UploadReady ImportScheduled CloneScheduled UploadScheduled ImportInProgress CloneInProgress SnapshotForSmartCloneInProgress CloneFromSnapshotSourceInProgress SmartClonePVCInProgress CSICloneInProgress PrepClaimInProgress ExpansionInProgress NamespaceTransferInProgress RebindInProgress
fenceagentsremediation fence-agents-remediation.medik8s.io/v1alpha1 fenceagentsremediations far -: Remediating Failing TimingOut
hco hco.kubevirt.io/v1beta1 hyperconvergeds hco hco-stack/root: Deploying Reconciling ReconcilingDegraded Healing Failing
hpp hostpathprovisioner.kubevirt.io/v1beta1 hostpathprovisioners hco hco-stack/child: Deploying Reconciling ReconcilingDegraded Healing Failing
installplan operators.coreos.com/v1alpha1 installplans olm olm-install/child: Planning Installing RequiresApproval
kubevirt kubevirt.io/v1 kubevirts hco hco-stack/child: Deploying Reconciling ReconcilingDegraded Healing Failing Deleting Upgrading UpdateRollingOut
machine machine.openshift.io/v1beta1 machines openshift -: Provisioning Provisioned Deleting Failed
machineconfigpool machineconfiguration.openshift.io/v1 machineconfigpools openshift -: Updating UpdatingDegraded Degraded NodeDegraded RenderDegraded Building BuildFailed Paused
machineset machine.openshift.io/v1beta1 machinesets openshift -: ScalingUp ScalingDown
nnce nmstate.io/v1beta1 nodenetworkconfigurationenactments nmstate network-config/child: Configuring Pending Failing
nncp nmstate.io/v1 nodenetworkconfigurationpolicies nmstate network-config/root: Configuring ConfiguringDegraded
nodemaintenance nodemaintenance.medik8s.io/v1beta1 nodemaintenances nodemaintenance -: Draining
plan forklift.konveyor.io/v1beta1 plans forklift -: Executing
ssp ssp.kubevirt.io/v1beta3 ssps hco hco-stack/child: Deploying Reconciling ReconcilingDegraded Healing Failing Deleting Upgrading Paused
storageversionmigration migration.k8s.io/v1alpha1 storageversionmigrations openshift cluster-update/child: Migrating
subscription operators.coreos.com/v1alpha1 subscriptions olm olm-install/root: Unpacking InstallPlanPending
velero-backup velero.io/v1 backups oadp data-protection/root: InProgress WaitingForPluginOperations Finalizing
velero-datadownload velero.io/v2alpha1 datadownloads oadp data-protection/child: InProgress Canceling
velero-dataupload velero.io/v2alpha1 datauploads oadp data-protection/child: InProgress Canceling
velero-deletebackuprequest velero.io/v1 deletebackuprequests oadp data-protection/root: Deleting
velero-podvolumebackup velero.io/v1 podvolumebackups oadp data-protection/child: InProgress Canceling
velero-podvolumerestore velero.io/v1 podvolumerestores oadp data-protection/child: InProgress Canceling
velero-restore velero.io/v1 restores oadp data-protection/root: InProgress WaitingForPluginOperations Finalizing
vm-clone clone.kubevirt.io/v1beta1 virtualmachineclones kubevirt -: SnapshotInProgress CreatingTargetVM RestoreInProgress Failed
vm-export export.kubevirt.io/v1beta1 virtualmachineexports kubevirt -: Pending
vm-lifecycle kubevirt.io/v1 virtualmachines kubevirt -: Migrating Starting Stopping Provisioning Terminating WaitingForReceiver
vm-restore snapshot.kubevirt.io/v1beta1 virtualmachinerestores kubevirt -: InProgress Failed
vm-snapshot snapshot.kubevirt.io/v1beta1 virtualmachinesnapshots kubevirt -: InProgress Failed
vmi kubevirt.io/v1 virtualmachineinstances kubevirt -: Pending Scheduling Scheduled WaitingForSync Provisioning VCPUChange MemoryChange
vmim kubevirt.io/v1 virtualmachineinstancemigrations kubevirt -: Pending Scheduling Scheduled PreparingTarget Running
volumesnapshot snapshot.storage.k8s.io/v1 volumesnapshots csi -: Provisioning
`;

test("the table has the 38 rule sets of the specification", () => {
  const rows = operationRules.map(({ name, component, target, correlation, operations }) => {
    const { group, version, resource } = target;
    const correlated = correlation === undefined ? "-" : `${correlation.group}/${correlation.role}`;
    return `${name} ${group}/${version} ${resource} ${component} ${correlated}: ${Object.keys(operations).join(" ")}`;
  });
  expect(rows).toEqual(specified.trim().split("\n"));
  expect(rows).toHaveLength(38);
});

const assetOf = (name: string) => {
  const found = operationRuleSets.find((asset) => asset.name === name);
  if (found === undefined) throw new Error(`there is no asset ${name}`);
  return found;
};

test("a rule set has its component, labels, target and expressions", () => {
  expect(renderedAsset(assetOf("ifo-velero-deletebackuprequest-rules"))).toBe(`apiVersion: ifo.kubevirt.io/v1alpha1
kind: OperationRuleSet
metadata:
  name: velero-deletebackuprequest-rules
spec:
  component: oadp
  labels:
    ifo.kubevirt.io/correlation-group: data-protection
    ifo.kubevirt.io/correlation-role: root
  rules:
  - expression: has(object.status) && has(object.status.phase) && object.status.phase == 'InProgress'
    operation: Deleting
  target:
    group: velero.io
    resource: deletebackuprequests
    version: v1
`);
});

test("a rule set is not applied if the cluster does not serve its target in that version", () => {
  expect(renderedAsset(assetOf("ifo-plan-rules"), { isServed: false })).toBe(
    'nothing: "the cluster does not serve plans.forklift.konveyor.io in version v1beta1"',
  );
});

test("a rule set for an aggregated API is applied on OpenShift, where no CRD shows whether it is served", () => {
  const { conditions, reads } = assetOf("ifo-build-rules");
  expect(conditions).toEqual([{ type: "topology", field: "isOpenShift", value: "true" }]);
  expect(Object.values(reads).map(({ read }) => read)).toEqual(["topology"]);
});
