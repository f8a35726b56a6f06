// The annotation blocks of the platform's seed README, key by key and value by value, on the objects that they name.

import type { JsonMap, KubeObject } from "@virt/api";
import { at } from "@virt/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Golden, startGolden, untilConverged } from "./golden.ts";

const swap = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/50-virt-swap-enable";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
let golden: Golden;

beforeAll(async () => {
  golden = await startGolden();
  await golden.start();
  await untilConverged(golden);
});
afterAll(() => golden[Symbol.asyncDispose]());

const annotate = (path: string, key: string, text: string) =>
  golden.edit(path, { metadata: { annotations: { [`platform.kubevirt.io/${key}`]: text } } }, "person");
const units = (object: KubeObject) => at(object, "spec", "config", "systemd", "units") as readonly JsonMap[];

test("a JSON patch override changes the unit of the swap MachineConfig, and only that", async () => {
  const before = await golden.read(swap);
  await annotate(
    swap,
    "patch",
    `[
  {"op": "replace", "path": "/spec/config/systemd/units/0/contents", "value": "..."}
]
`,
  );
  await golden.until(async () => expect(at(units(await golden.read(swap))[0], "contents")).toBe("..."));
  const after = await golden.read(swap);
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

test("masked fields of the HyperConverged are not managed any more, and people control them", async () => {
  await annotate(hco, "ignore-fields", "/spec/liveMigrationConfig/parallelMigrationsPerCluster,/spec/featureGates");
  await golden.edit(
    hco,
    { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 3, allowPostCopy: true } } },
    "person",
  );
  await golden.until(async () =>
    expect(at(await golden.read(hco), "spec", "liveMigrationConfig")).toMatchObject({
      parallelMigrationsPerCluster: 3,
      allowPostCopy: false,
    }),
  );
});

test("an object in mode unmanaged is left alone entirely", async () => {
  await annotate(check, "mode", "unmanaged");
  await golden.edit(check, { spec: { minHealthy: "10%" } }, "person");
  await golden.edit(hco, { spec: { liveMigrationConfig: { allowPostCopy: true } } }, "somebody");
  await golden.until(async () =>
    expect(at(await golden.read(hco), "spec", "liveMigrationConfig", "allowPostCopy")).toBe(false),
  );
  expect(at(await golden.read(check), "spec", "minHealthy")).toBe("10%");
});
