import type { JsonMap, KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { type AssetHcoFact, isGateOn, readHco } from "./hco-fact.ts";

function hcoOf(version: "v1" | "v1beta1", spec: JsonMap, annotations?: Readonly<Record<string, string>>): KubeObject {
  const metadata = { name: "kubevirt-hyperconverged", namespace: "openshift-cnv", ...(annotations && { annotations }) };
  return { apiVersion: `hco.kubevirt.io/${version}`, kind: "HyperConverged", metadata, spec };
}

const common = {
  name: "kubevirt-hyperconverged",
  namespace: "openshift-cnv",
  annotations: {},
  featureGates: { downwardmetrics: true, aligncpus: false },
  liveMigration: { parallelMigrationsPerCluster: 7, parallelOutboundMigrationsPerNode: 3 },
  ksmConfiguration: { nodeLabelSelector: {} },
  permittedHostDevices: { pciHostDevices: [] },
  applicationAwareQuota: true,
  persistentReservation: true,
  uninstallStrategy: "RemoveWorkloads",
};
const liveMigrationConfig = common.liveMigration;
const { ksmConfiguration, permittedHostDevices, uninstallStrategy } = common;

test("v1beta1 has one flat spec", () => {
  const fact = readHco(
    hcoOf("v1beta1", {
      featureGates: { downwardMetrics: true, alignCPUs: false, persistentReservation: true },
      liveMigrationConfig,
      ksmConfiguration,
      permittedHostDevices,
      enableApplicationAwareQuota: true,
      uninstallStrategy,
    }),
    undefined,
  );
  const featureGates = { ...common.featureGates, persistentreservation: true };
  expect(fact).toEqual({ ...common, featureGates, apiVersion: "hco.kubevirt.io/v1beta1" });
});

test("v1 has groups and a list of gates", () => {
  const fact = readHco(
    hcoOf("v1", {
      featureGates: [{ name: "downwardMetrics" }, { name: "alignCPUs", state: "Disabled" }],
      virtualization: { liveMigrationConfig, ksmConfiguration, permittedHostDevices },
      deployment: { applicationAwareConfig: { enable: true }, uninstallStrategy },
      storage: { persistentReservationConfiguration: { enabled: true } },
    }),
    undefined,
  );
  expect(fact).toEqual({ ...common, apiVersion: "hco.kubevirt.io/v1" });
});

test.each(["v1", "v1beta1"] as const)("an empty %s has the defaults of every release", (version) => {
  expect(readHco(hcoOf(version, {}), undefined)).toEqual({
    apiVersion: `hco.kubevirt.io/${version}`,
    name: "kubevirt-hyperconverged",
    namespace: "openshift-cnv",
    annotations: {},
    featureGates: {},
    liveMigration: { parallelMigrationsPerCluster: 5, parallelOutboundMigrationsPerNode: 2 },
    ksmConfiguration: undefined,
    permittedHostDevices: {},
    applicationAwareQuota: false,
    persistentReservation: false,
    uninstallStrategy: undefined,
  });
});

const defaults = (...path: readonly string[]) =>
  [...path, "liveMigrationConfig"].reduceRight<JsonMap>((inner, name) => ({ properties: { [name]: inner } }), {
    properties: { parallelMigrationsPerCluster: { default: 9 }, parallelOutboundMigrationsPerNode: { default: 1 } },
  });

test.each([
  { reason: "a missing number has the default of the schema", given: {}, taken: [9, 1] },
  { reason: "a present number counts", given: { parallelMigrationsPerCluster: 3 }, taken: [3, 1] },
  { reason: "zero migrations are invalid", given: { parallelMigrationsPerCluster: 0 }, taken: [9, 1] },
  { reason: "a text is invalid", given: { parallelMigrationsPerCluster: "3" }, taken: [9, 1] },
])("$reason", ({ given, taken }) => {
  const [total, node] = taken;
  const wanted = { parallelMigrationsPerCluster: total, parallelOutboundMigrationsPerNode: node };
  const old = readHco(hcoOf("v1beta1", { liveMigrationConfig: given }), defaults("spec"));
  const fresh = readHco(
    hcoOf("v1", { virtualization: { liveMigrationConfig: given } }),
    defaults("spec", "virtualization"),
  );
  expect([old.liveMigration, fresh.liveMigration]).toEqual([wanted, wanted]);
});

type Gates = { reason: string; spec: JsonMap; annotation?: string; gates: AssetHcoFact["featureGates"] };

const gates: readonly Gates[] = [
  { reason: "a listed name is enabled", spec: { featureGates: ["A", "b"] }, gates: { a: true, b: true } },
  {
    reason: "a name in the annotation is enabled",
    spec: {},
    annotation: " CPUManager ,, x",
    gates: { cpumanager: true, x: true },
  },
  { reason: "the annotation wins", spec: { featureGates: { a: false } }, annotation: "A", gates: { a: true } },
  { reason: "a value that is not a boolean is off", spec: { featureGates: { a: "true" } }, gates: { a: false } },
  { reason: "an unknown state is off", spec: { featureGates: [{ name: "a", state: "x" }] }, gates: { a: false } },
  { reason: "an entry without a name is ignored", spec: { featureGates: [{ state: "Enabled" }, 3] }, gates: {} },
];

test.each(gates)("$reason", ({ spec, annotation, gates }) => {
  const annotations = annotation === undefined ? {} : { "platform.kubevirt.io/feature-gates": annotation };
  expect(readHco(hcoOf("v1", spec, annotations), undefined).featureGates).toEqual(gates);
});

test("finds gates in any case, but no inherited names", () => {
  const fact = readHco(hcoOf("v1beta1", { featureGates: { CPUManager: true } }), undefined);
  const asked = ["cpuManager", "constructor", "__proto__", "toString"];
  expect(asked.filter((gate) => isGateOn(fact, gate))).toEqual(["cpuManager"]);
});
