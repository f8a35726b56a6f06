import type { KubeObject } from "@virt/api";
import { roleLabel } from "@virt/cluster";
import { assessed, readDisruptionPolicies } from "@virt/impact";
import { poolObject, psiConfig } from "@virt/impact/testing/cluster-builder";
import { expect, test } from "vitest";
import { type AdoptionForecast, adoptionRow, type TheirObject } from "./adoption-row.ts";
import { adoptionChanges, adoptionTable } from "./adoption-texts.ts";

const sized = (pool: KubeObject, machineCount: number): KubeObject => ({ ...pool, status: { machineCount } });
const nodes = {
  pools: [sized(poolObject("master"), 3), sized(poolObject("worker"), 12)],
  policies: assessed(readDisruptionPolicies(undefined)),
};
const psi = psiConfig();
const withArguments = (...kernelArguments: readonly string[]): KubeObject => ({ ...psi, spec: { kernelArguments } });
const relabelled = (labels: Readonly<Record<string, string>>): KubeObject => ({
  ...psi,
  metadata: { ...psi.metadata, labels: { ...psi.metadata.labels, ...labels } },
});

const rowOf = (live: KubeObject, forecast: AdoptionForecast, ...replaced: readonly string[]) => {
  const theirs: TheirObject = { live, assets: ["psi-enable"], ours: [], forecast };
  return adoptionRow(theirs, new Set(replaced), nodes);
};
const predicted = (object: KubeObject) => ({ kind: "predicted", object }) as const;

test("takes over a MachineConfig that our dry run leaves as it is", () => {
  expect(rowOf(psi, predicted(psi))).toMatchObject({ isEqual: true, action: "take over", reboots: 0 });
});

test("keeps a MachineConfig with other content, and counts the nodes that --replace reboots", () => {
  const changed = predicted(withArguments("psi=1", "psi=1"));
  expect(rowOf(psi, changed)).toMatchObject({ isEqual: false, action: "keep", reboots: 0, rebootsIfReplaced: 12 });
  expect(rowOf(psi, changed, "psi-enable")).toMatchObject({ action: "replace", reboots: 12 });
  expect(rowOf(psi, changed, "swap-enable")).toMatchObject({ action: "keep" });
});

test("the role label counts as content, other labels and annotations do not", () => {
  expect(rowOf(psi, predicted(relabelled({ [roleLabel]: "master" })))).toMatchObject({
    isEqual: false,
    action: "keep",
    rebootsIfReplaced: 15,
  });
  const { metadata } = relabelled({ "platform.kubevirt.io/managed-by": "virt-platform-operator" });
  const same = { ...psi, metadata: { ...metadata, annotations: { some: "text" } } };
  expect(rowOf(psi, predicted(same))).toMatchObject({ isEqual: true, action: "take over" });
});

test("takes over an object that does not reach nodes, and lists its changes", () => {
  const descheduler = (mode: string): KubeObject => ({
    apiVersion: "operator.openshift.io/v1",
    kind: "KubeDescheduler",
    metadata: { name: "cluster", namespace: "ns" },
    spec: { mode },
  });
  const row = rowOf(descheduler("Predictive"), predicted(descheduler("Automatic")));
  expect(row).toMatchObject({ isEqual: false, action: "take over", reboots: 0 });
  expect(adoptionChanges([row])).toEqual(['KubeDescheduler ns/cluster: spec.mode from "Predictive" to "Automatic"']);
});

test("an object with another name stays unless it is replaced", () => {
  const forecast = { kind: "other-name", objects: [{ ...psi, metadata: { ...psi.metadata, name: "ours" } }] } as const;
  const [kept, replaced] = [rowOf(psi, forecast), rowOf(psi, forecast, "psi-enable")];
  expect(kept).toMatchObject({ isEqual: false, action: "keep", reboots: 0 });
  expect(replaced).toMatchObject({ action: "replace", reboots: 12 });
  expect(adoptionTable([kept, replaced])).toEqual([
    {
      theirs: "MachineConfig 99-worker-psi-karg",
      ours: "psi-enable",
      equal: "no",
      action: "keep",
      reboots: 0,
      why: "to replace it, add --replace psi-enable, which reboots 12 nodes",
    },
    {
      theirs: "MachineConfig 99-worker-psi-karg",
      ours: "psi-enable",
      equal: "no",
      action: "replace",
      reboots: 12,
      why: "",
    },
  ]);
});

test("an object that ours would not change is kept with the reason, even with --replace", () => {
  const row = rowOf(psi, { kind: "not-applied", why: "it is unmanaged" }, "psi-enable");
  expect(adoptionTable([row])).toMatchObject([{ equal: "-", action: "keep", reboots: 0, why: "it is unmanaged" }]);
});
