import { expect, test } from "vitest";
import { offlineAssets, runOffline } from "./offline.ts";

const statusOf = async (...args: readonly string[]) => {
  const { out } = await runOffline("render", "--output=status", ...args);
  return out;
};

test("prints the status of all assets with a summary", async () => {
  expect(await statusOf("--hco-file=busy", "--facts-file=nodes.yaml")).toBe(busyStatus);
});

const busyStatus = `\
ASSET                    STATUS     COMPONENT            REASON                                                                      IMPACT
aaq-operator             EXCLUDED   HyperConverged       SwitchedOff: expected platform.kubevirt.io/enable-aaq=true, found not se…   pods
hco-golden-config        INCLUDED   HyperConverged       -                                                                           pods
usb-passthrough          EXCLUDED   HyperConverged       SwitchedOff: expected platform.kubevirt.io/usb-devices present, found ab…   pods
vfio-permitted-devices   INCLUDED   HyperConverged       -                                                                           pods
metrics-service          INCLUDED   Service              -                                                                           none
metrics-servicemonitor   INCLUDED   ServiceMonitor       -                                                                           none
prometheus-alerts        INCLUDED   PrometheusRule       -                                                                           none
kubelet-cpu-manager      EXCLUDED   KubeletConfig        SwitchedOff: expected feature gate CPUManager enabled, found not enabled    reboot
kubelet-perf-settings    INCLUDED   KubeletConfig        -                                                                           reboot
numa-topology            INCLUDED   KubeletConfig        -                                                                           reboot
swap-enable              FILTERED   MachineConfig        RootExclusion: rule 0 of annotation disabled-resources                      reboot
pci-passthrough          INCLUDED   MachineConfig        -                                                                           reboot
psi-enable               INCLUDED   MachineConfig        -                                                                           reboot
psi-enable-master        EXCLUDED   MachineConfig        ConditionNotMet: expected hasSchedulableMasters=true, found hasSchedulab…   reboot
vfio-assign              INCLUDED   MachineConfig        -                                                                           reboot
node-health-check        INCLUDED   NodeHealthCheck      -                                                                           pods
mtv-operator             EXCLUDED   ForkliftController   NamespaceMissing: openshift-mtv                                             pods
metallb-operator         INCLUDED   MetalLB              -                                                                           pods
observability-operator   INCLUDED   UIPlugin             -                                                                           pods
descheduler-loadaware    EXCLUDED   KubeDescheduler      NamespaceMissing: openshift-kube-descheduler-operator                       pods

Summary: 13 included, 6 excluded, 1 filtered, 0 errors
`;

test("prints a shared object once, with all its assets", async () => {
  const { out } = await runOffline("render", "--hco-file=old.json", "--asset=aaq-operator");
  expect(out).toBe(`\
---
# Asset: aaq-operator,hco-golden-config
# Path: catalog/assets/aaq-operator/asset.ts,catalog/assets/hco-golden-config/asset.ts
# Component: HyperConverged
# Status: INCLUDED
apiVersion: hco.kubevirt.io/v1beta1
kind: HyperConverged
metadata:
  labels:
    platform.kubevirt.io/managed-by: virt-platform-operator
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
  enableApplicationAwareQuota: true
  featureGates:
    alignCPUs: false
    downwardMetrics: false
  liveMigrationConfig:
    allowAutoConverge: false
    allowPostCopy: false
    parallelMigrationsPerCluster: 5
  uninstallStrategy: BlockUninstallIfWorkloadsExist
`);
});

test("assumes the default namespace for a HyperConverged without one", async () => {
  const hcoIn = async (...args: readonly string[]) =>
    (await runOffline("render", "--hco-file=homeless.yaml", "--asset=hco-golden-config", ...args)).out;
  expect(await hcoIn()).toContain("  namespace: openshift-cnv\n");
  expect(await hcoIn("--hco-namespace=elsewhere")).toContain("  namespace: elsewhere\n");
});

test("applies the patch and ignored fields of a live object", async () => {
  const { out } = await runOffline(
    "render",
    "--hco-file=plain",
    "--facts-file=check.yaml",
    "--asset=node-health-check",
  );
  expect(out).toContain("  minHealthy: 60%\n");
  expect(out).not.toContain("stormCooldownDuration");
});

test("prints an excluded asset as a comment on request", async () => {
  const comment = `\
---
# Asset: swap-enable
# Path: catalog/assets/swap-enable/asset.ts
# Component: MachineConfig
# Status: FILTERED
# Reason: RootExclusion: rule 0 of annotation disabled-resources
`;
  const shown = await runOffline("render", "--hco-file=busy", "--show-excluded");
  const hidden = await runOffline("render", "--hco-file=busy");
  const named = await runOffline("render", "--hco-file=busy", "--asset=swap-enable");
  expect(shown.out).toContain(comment);
  expect(hidden.out).not.toContain("swap-enable");
  expect(named.out).toBe(comment);
});

test("fails if an object cannot be rendered", async () => {
  const { out, failure } = await runOffline("render", "--hco-file=plain", "--facts-file=broken-patch.yaml");
  expect(out).toContain("# Status: ERROR\n# Reason: InvalidPatch: invalid patch annotation: not JSON\n");
  expect(failure).toBe("1 of 20 assets cannot be rendered");
});

test("prints assets as JSON", async () => {
  const { out } = await runOffline("render", "--hco-file=plain", "--asset=metallb-operator", "--output=json");
  expect(JSON.parse(out)).toEqual([
    {
      asset: "metallb-operator",
      path: "catalog/assets/metallb-operator/asset.ts",
      component: "MetalLB",
      status: "EXCLUDED",
      reason: "NamespaceMissing: metallb-system",
      impact: "pods",
      managedBy: "none",
    },
  ]);
});

test("uses only the given CRDs, or the bundled schemas without any", async () => {
  const given = await statusOf("--hco-file=plain", "--facts-file=one-crd.yaml", "--facts-file=nodes.yaml");
  expect(given).toContain("Summary: 2 included, 18 excluded, 0 filtered, 0 errors");
  expect(given).toMatch(/^metallb-operator +INCLUDED/m);
  expect(await statusOf("--hco-file=plain")).toContain("Summary: 8 included, 12 excluded");
});

test("assumes an active operator, and notes it if only a flag decides", async () => {
  expect(await runOffline("render", "--hco-file=plain")).toMatchObject({ notes: [] });
  expect(await runOffline("render", "--hco-file=silent")).toMatchObject({
    out: expect.stringContaining("# Status: INCLUDED") as string,
    notes: [expect.stringContaining("--activation=opt-in") as string],
  });
  expect(await runOffline("render", "--hco-file=silent", "--activation=opt-in")).toEqual({ out: "", notes: [] });
  expect(await statusOf("--hco-file=off")).toContain("Summary: 0 included, 20 excluded");
});

test("prints invalid annotations as warnings", async () => {
  const { notes, failure } = await runOffline("render", "--hco-file=typo.yaml");
  expect(notes).toEqual([
    "Warning: Unknown annotation platform.kubevirt.io/enable-swpa on the HyperConverged, did you mean platform.kubevirt.io/enable-swap?",
    "Warning: Invalid disabled-resources annotation: rule 0: name is required",
  ]);
  expect(failure).toMatch(/assets cannot be rendered$/);
});

test("explain shows the checks, the fields and how to change the result", async () => {
  const { out } = await runOffline("explain", "numa-topology", "--hco-file=busy", "--facts-file=nodes.yaml");
  expect(out).toBe(`\
Asset:        numa-topology (group numa-topology, feature numa-topology, always-on)
Object:       KubeletConfig virt-perf-settings
Impact:       reboot: drains and reboots the nodes of its pool
Status:       INCLUDED
Managed by:   virt-platform-operator
Server:       not contacted: no cluster was given; pass --kubeconfig to send a dry run
Hardware:     pciDevicesPresent=false numaNodesPresent=true vfioCapable=false usbDevicesPresent=false gpuPresent=false

Checks (the first failed check decides):
  ok   activation   virt-platform-operator=true
  ok   allow-list   no list
  ok   switch       platform.kubevirt.io/enable-numa not false: not set
  ok   devices      none
  ok   conditions   isOpenShift; not isHCP; numaNodesPresent
  ok   exclusions   none of the rules match (1)
  ok   plans        not managed by a VirtPlatformConfig
  ok   autopilot    virt-platform-autopilot does not manage it (Absent)
  ok   claims       virt-platform-autopilot applies no object for the same purpose
  ok   hand-over    not released by a VirtPlatformConfig
  ok   crds         kubeletconfigs.machineconfiguration.openshift.io
  ok   inputs       topology, kubeletConfigs, workerPool, hardware
  ok   namespace    cluster scoped
  ok   alternates   no other object serves the same purpose
  ok   render       all fields are known to the CRD

Fields that would be applied:
  /metadata/labels/platform.kubevirt.io~1managed-by
  /spec/machineConfigPoolSelector
  /spec/autoSizingReserved
  /spec/kubeletConfig/nodeStatusMaxImages
  /spec/kubeletConfig/maxPods
  /spec/kubeletConfig/topologyManagerPolicy

How to change this:
  set annotation platform.kubevirt.io/enable-numa=false to disable it
  set annotation platform.kubevirt.io/mode=unmanaged on KubeletConfig virt-perf-settings to stop managing it
  add a rule for it to annotation platform.kubevirt.io/disabled-resources to exclude it
`);
});

test("explain names every obstacle, not only the first", async () => {
  const { out } = await runOffline("explain", "descheduler-loadaware", "--hco-file=off");
  expect(out.split("How to change this:\n")[1]).toBe(`\
  set annotation platform.kubevirt.io/virt-platform-operator=descheduler-loadaware on the HyperConverged to enable only this asset, or =true to enable all assets (some of them reboot nodes); to see the impact first, run kubectl virt-advisor enable descheduler-loadaware
  set annotation platform.kubevirt.io/enable-loadaware=true
  create namespace openshift-kube-descheduler-operator; its operator usually creates it
`);
});

test("lists excluded assets with expected and actual values", async () => {
  const { out } = await runOffline("exclusions", "--hco-file=plain", "--output=json");
  const all = JSON.parse(out) as readonly { readonly asset: string }[];
  expect(all).toHaveLength(12);
  expect(all[0]).toEqual({
    asset: "aaq-operator",
    group: "aaq-operator",
    target: "HyperConverged openshift-cnv/kubevirt-hyperconverged",
    reason: "SwitchedOff",
    details: "expected platform.kubevirt.io/enable-aaq=true, found not set",
  });
});

test("lists features without a cluster, and active assets with one", async () => {
  type Row = { readonly feature: string };
  const rowsOf = async (...args: readonly string[]) =>
    JSON.parse((await runOffline("features", "--output=json", ...args)).out) as readonly Row[];
  const [bare, here] = [await rowsOf(), await rowsOf("--hco-file=busy")];
  const isRebalancing = ({ feature }: Row) => feature === "load-aware-rebalancing";
  expect(new Set(bare.map(({ feature }) => feature))).toEqual(
    new Set(offlineAssets.map(({ feature }) => feature.name)),
  );
  expect(bare.find(isRebalancing)).toEqual({
    feature: "load-aware-rebalancing",
    description: "Moves VMs away from nodes under pressure",
    maturity: "TP",
    default: "off",
    switch: "enable-loadaware",
    assets: ["psi-enable", "psi-enable-master", "descheduler-loadaware"],
    operators: ["Machine Config Operator", "Kube Descheduler Operator"],
    impact: "reboot",
  });
  expect(here.find(isRebalancing)).toEqual({ ...bare.find(isRebalancing), active: ["psi-enable"] });
});
