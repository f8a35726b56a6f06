// Every annotation value in the platform's seed README, applied to the named objects.

import type { JsonMap, KubeObject } from "@virt/api";
import { at } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";

const swap = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/50-virt-swap-enable";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
let fullCluster: FullCluster;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  await fullCluster.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const annotate = (path: string, key: string, text: string) =>
  fullCluster.edit(path, { metadata: { annotations: { [`platform.kubevirt.io/${key}`]: text } } }, "person");
const units = (object: KubeObject) => at(object, "spec", "config", "systemd", "units") as readonly JsonMap[];

test("a patch override changes only the unit of the swap MachineConfig", async () => {
  const before = await fullCluster.read(swap);
  await annotate(
    swap,
    "patch",
    `[
  {"op": "replace", "path": "/spec/config/systemd/units/0/contents", "value": "..."}
]
`,
  );
  await fullCluster.until(async () => expect(at(units(await fullCluster.read(swap))[0], "contents")).toBe("..."));
  const after = await fullCluster.read(swap);
  const [first, ...rest] = units(before);
  expect(after["spec"]).toEqual({
    ...(before["spec"] as JsonMap),
    config: {
      ...(at(before, "spec", "config") as JsonMap),
      systemd: { units: [{ ...first, contents: "..." }, ...rest] },
    },
  });
  expect(after.metadata.labels).toEqual(before.metadata.labels);
});

test("users control the masked fields of the HyperConverged", async () => {
  await annotate(hco, "ignore-fields", "/spec/liveMigrationConfig/parallelMigrationsPerCluster,/spec/featureGates");
  await fullCluster.edit(
    hco,
    { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 3, allowPostCopy: true } } },
    "person",
  );
  await fullCluster.until(async () =>
    expect(at(await fullCluster.read(hco), "spec", "liveMigrationConfig")).toMatchObject({
      parallelMigrationsPerCluster: 3,
      allowPostCopy: false,
    }),
  );
});

test("does not write to an object in mode unmanaged", async () => {
  await annotate(check, "mode", "unmanaged");
  await fullCluster.edit(check, { spec: { minHealthy: "10%" } }, "person");
  await fullCluster.edit(hco, { spec: { liveMigrationConfig: { allowPostCopy: true } } }, "somebody");
  await fullCluster.until(async () =>
    expect(at(await fullCluster.read(hco), "spec", "liveMigrationConfig", "allowPostCopy")).toBe(false),
  );
  expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("10%");
});
