import { readdirSync } from "node:fs";
import type { Json, JsonMap, KubeObject } from "@virt/api";
import { isList, isMap, noSchema } from "@virt/objects";
import { type AnyAssetFacts, type Asset, catalogFaults, mergeParts, renderFaults } from "@virt/platform";
import { inRepository } from "@virt/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readMock } from "../../test/integration/mock-crds/definitions.ts";
import { assets } from "../index.ts";
import {
  alphaKubeVirt,
  assetFacts,
  type ChangedFacts,
  hcoWith,
  ownNamespace,
  plainHardware,
} from "../testing/asset-facts.ts";
import { tombstones } from "./tombstones.ts";

const annotations = {
  "vfio-devices": '[{"selector": "10DE:1EB8", "resourceName": "a.b/c"}]',
  "usb-devices": '[{"resourceName": "a.b/d", "selectors": [{"vendor": "1", "product": "2"}]}]',
};
const mocks = readdirSync(inRepository("config", "crd", "mocks"))
  .filter((file) => file.endsWith(".yaml"))
  .toSorted()
  .map(readMock);
const newestSchema = (name: string) =>
  mocks.findLast(({ crd }) => crd.metadata.name === name)?.schema as JsonMap | undefined;

function fullFacts(asset: Asset, version: "v1" | "v1beta1" = "v1"): AnyAssetFacts {
  const schemas = Object.entries(asset.reads).flatMap(([name, read]) =>
    read.read === "schema" ? [[name, newestSchema(read.crd)] as const] : [],
  );
  const hco = hcoWith(version, annotations);
  return assetFacts(asset, { hco, kubeVirt: alphaKubeVirt, ...Object.fromEntries(schemas) });
}

test("the index lists every folder under its name", () => {
  const entries = readdirSync(inRepository("catalog", "assets"), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const declared = new Set(assets.map(({ name, folder }) => folder ?? name));
  expect([...declared].toSorted()).toEqual(folders.toSorted());
});

test("the catalog passes its checks", () => {
  expect(catalogFaults({ assets, tombstones })).toEqual([]);
});

const table = `
0 aaq-operator aaq-operator advanced/2 enable-aaq:off HyperConverged/$hco/kubevirt-hyperconverged fieldwise pods
0 hco-golden-config hco-golden-config always-on/0 - HyperConverged/$hco/kubevirt-hyperconverged fieldwise pods
0 usb-passthrough usb-passthrough advanced/3 usb-devices HyperConverged/$hco/kubevirt-hyperconverged fieldwise pods
0 vfio-permitted-devices vfio-assign advanced/2 vfio-devices HyperConverged/$hco/kubevirt-hyperconverged fieldwise pods
1 metrics-service monitoring always-on/1 - Service/$operator/virt-platform-operator-metrics whole none
1 metrics-servicemonitor monitoring always-on/1 - ServiceMonitor/$operator/virt-platform-operator-metrics whole none
1 prometheus-alerts monitoring always-on/1 - PrometheusRule/$operator/virt-platform-operator-alerts whole none
10 kubelet-cpu-manager kubelet-cpu-manager context-aware/1 CPUManager KubeletConfig//virt-perf-settings whole reboot
10 kubelet-perf-settings kubelet-perf-settings always-on/1 enable-kubelet-performance-settings:on KubeletConfig//virt-perf-settings whole reboot
10 numa-topology numa-topology always-on/1 enable-numa:on KubeletConfig//virt-perf-settings whole reboot
11 swap-enable swap-enable always-on/1 enable-swap:on MachineConfig//50-virt-swap-enable whole reboot
12 pci-passthrough pci-passthrough always-on/1 enable-pci-passthrough:on MachineConfig//50-virt-pci-passthrough whole reboot
13 psi-enable descheduler-loadaware context-aware/1 enable-loadaware:off MachineConfig//99-openshift-machineconfig-worker-psi-karg whole reboot
13 psi-enable-master descheduler-loadaware context-aware/1 enable-loadaware:off MachineConfig//99-openshift-machineconfig-master-psi-karg whole reboot
14 vfio-assign vfio-assign advanced/2 vfio-devices MachineConfig//50-virt-vfio-assign whole reboot
15 scsi-reservations scsi-reservations advanced/2 enable-scsi-persistent-reservations:off MachineConfig//50-virt-multipath-reservation whole reboot
15 scsi-reservations-master scsi-reservations advanced/2 enable-scsi-persistent-reservations:off MachineConfig//50-virt-multipath-reservation-master whole reboot
20 node-health-check node-health-check always-on/1 enable-node-health-check:on NodeHealthCheck//virt-node-health-check whole pods
21 mtv-operator mtv-operator always-on/1 enable-mtv:on ForkliftController/openshift-mtv/forklift-controller fieldwise pods
22 metallb-operator metallb-operator always-on/1 enable-metallb:on MetalLB/metallb-system/metallb whole pods
23 observability-operator observability-operator always-on/1 enable-observability:on UIPlugin//monitoring whole pods
24 troubleshooting-panel troubleshooting-panel always-on/1 enable-korrel8r:on UIPlugin//troubleshooting-panel whole pods
25 platform-dashboard observability-operator always-on/1 enable-observability:on PersesDashboard/$hco/virt-platform-health whole none
30 descheduler-loadaware descheduler-loadaware context-aware/1 enable-loadaware:off KubeDescheduler/openshift-kube-descheduler-operator/cluster whole pods
31 rebalancing-dashboard descheduler-loadaware context-aware/1 enable-loadaware:off PersesDashboard/$hco/virt-rebalancing whole none
32 stun-time stun-time advanced/2 enable-stun-time:off MigrationPolicy//stun-time whole none
40 ifo-datavolume-rules inflightoperations advanced/2 enable-in-flight-operations:off OperationRuleSet//datavolume-rules whole none
`;

test("the declarations match the table of the specification, in order", () => {
  const specified = table.trim().split("\n");
  expect(assets.map(rowOf).filter((row) => specified.includes(row))).toEqual(specified);
});

function rowOf({ order, name, group, tier, phase, switch: on, target, adoption, impact }: Asset): string {
  const switched =
    on === undefined ? "-" : "annotation" in on ? `${on.annotation}:${on.default}` : Object.values(on)[0];
  const place = `${target.kind}/${target.namespace ?? ""}/${target.name}`;
  return [order, name, group ?? name, `${tier}/${phase}`, switched, place, adoption, impact].join(" ");
}

test("assets that change nodes need OpenShift, depend on the platform, and yield", () => {
  const reboots = assets.filter(({ impact }) => impact === "reboot");
  for (const { conditions, dependency } of reboots) {
    expect(conditions).toContainEqual({ type: "topology", field: "isOpenShift", value: "true" });
    expect(conditions).toContainEqual({ type: "topology", field: "isHCP", value: "false" });
    expect(dependency).toBe("platform");
  }
  const namesOf = (has: (asset: Asset) => boolean) => assets.filter(has).map(({ name }) => name);
  expect(namesOf(({ singleton }) => singleton === true)).toEqual(
    expect.arrayContaining(["node-health-check", "mtv-operator", "metallb-operator"]),
  );
  const ofKind = (kind: string) => namesOf(({ target }) => target.kind === kind);
  expect(namesOf(({ poolRule }) => poolRule === "worker")).toEqual(expect.arrayContaining(ofKind("KubeletConfig")));
  expect(namesOf(({ create }) => create === false)).toEqual(expect.arrayContaining(ofKind("HyperConverged")));
  expect(Object.fromEntries(assets.map(({ name, purpose }) => [name, purpose]))).toMatchObject({
    "node-health-check": "node-remediation",
    "swap-enable": "kubelet-swap",
    "psi-enable": "psi",
    "psi-enable-master": "psi",
    "descheduler-loadaware": "vm-rebalancing",
  });
});

const placeOf = ({ target: { namespace } }: Asset) =>
  ({ $hco: "openshift-cnv", $operator: ownNamespace })[namespace ?? ""] ?? namespace;

test.each(assets.map((asset) => ({ name: asset.name, asset })))("$name renders only its target", ({ asset }) => {
  for (const version of ["v1", "v1beta1"] as const) {
    const object = asset.render(fullFacts(asset, version));
    expect(renderFaults(asset, object as KubeObject, placeOf(asset))).toEqual([]);
  }
});

test.each(assets.map((asset) => ({ name: asset.name, asset })))("$name reads only declared facts", ({ asset }) => {
  const allowed = new Set([...Object.keys(asset.reads), "ownNamespace", "runbookUrlTemplate"]);
  const read: string[] = [];
  const facts = new Proxy(fullFacts(asset), {
    get: (target, key: string) => {
      read.push(key);
      return target[key];
    },
  });
  asset.render(facts);
  expect(read.filter((key) => !allowed.has(key))).toEqual([]);
});

test.each(["v1", "v1beta1"] as const)("parts of one object do not conflict with a HyperConverged of %s", (version) => {
  const byObject = Map.groupBy(assets, ({ target }) => `${target.kind}/${target.name}`);
  for (const parts of byObject.values()) {
    const renders = parts.map((asset) => ({
      asset: asset.name,
      object: asset.render({
        ...fullFacts(asset, version),
        hardware: { ...plainHardware, podSubnetPrefix: 20 },
      }) as KubeObject,
    }));
    expect(mergeParts(renders, noSchema).conflicts).toEqual([]);
  }
});

function chanceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return state;
  };
}

function reordered(value: Json | undefined, chance: () => number): Json | undefined {
  if (isList(value)) return value.map((each) => reordered(each, chance) ?? null);
  if (!isMap(value)) return value;
  const ranked = Object.entries(value).map(([key, inner]) => ({ key, inner, rank: chance() }));
  const sorted = ranked.toSorted((left, right) => left.rank - right.rank);
  return Object.fromEntries(sorted.map(({ key, inner }) => [key, reordered(inner, chance)]));
}

const anyChanges: fc.Arbitrary<ChangedFacts> = fc
  .record({
    version: fc.constantFrom<"v1" | "v1beta1">("v1", "v1beta1"),
    podSubnetPrefix: fc.constantFrom(undefined, 20, 23, 24),
    migrations: fc.integer({ min: 1, max: 50 }),
    incidents: fc.constantFrom("true", "false", "x"),
    generation: fc.constantFrom("v510", "v514", "v521", "v532"),
    pool: fc.option(fc.record({ labels: fc.constant({}), kernelArguments: fc.subarray(["psi=1", "iommu=pt", "x"]) }), {
      nil: undefined,
    }),
  })
  .map(({ version, podSubnetPrefix, migrations, incidents, generation, pool }) => {
    const liveMigrationConfig = { parallelMigrationsPerCluster: migrations };
    const spec = { liveMigrationConfig, virtualization: { liveMigrationConfig } };
    return {
      hco: hcoWith(version, { ...annotations, "enable-incident-detection": incidents }, spec),
      hardware: { ...plainHardware, podSubnetPrefix },
      deschedulers: schemas[generation],
      pool,
    };
  });
const schemas = Object.fromEntries(
  ["v510", "v514", "v521", "v532"].map((generation) => [
    generation,
    readMock(`kubedeschedulers-${generation}.yaml`).schema as JsonMap,
  ]),
);

test("the order of keys in the facts does not change any asset", () => {
  const law = fc.property(fc.constantFrom(...assets), anyChanges, fc.nat(), (asset, changes, seed) => {
    const facts = { ...fullFacts(asset), ...changes };
    const { deschedulers: schema, ...rest } = facts;
    const other = { ...(reordered(rest, chanceFrom(seed)) as AnyAssetFacts), deschedulers: schema };
    return JSON.stringify(asset.render(facts)) === JSON.stringify(asset.render(other));
  });
  fc.assert(law);
});
