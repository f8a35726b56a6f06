// Annotation values in the platform's seed README, applied to the named objects. reconciled-objects.test.ts covers the mode.

import type { JsonMap, KubeObject } from "@virt/api";
import { at } from "@virt/objects";
import { expect, test } from "vitest";
import { hcoPath } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { swap } = objectPaths;

const platform = sharePlatform();

const units = (object: KubeObject) => at(object, "spec", "config", "systemd", "units") as readonly JsonMap[];

test("a patch override changes only the unit of the swap MachineConfig", async () => {
  const before = await platform.read(swap);
  const patch = `[
  {"op": "replace", "path": "/spec/config/systemd/units/0/contents", "value": "..."}
]
`;
  await platform.annotate(swap, { patch });
  await platform.until(async () => expect(at(units(await platform.read(swap))[0], "contents")).toBe("..."));
  const after = await platform.read(swap);
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
  const masked = "/spec/liveMigrationConfig/parallelMigrationsPerCluster,/spec/featureGates";
  await platform.annotate(hcoPath, { "ignore-fields": masked });
  const liveMigrationConfig = { parallelMigrationsPerCluster: 3, allowPostCopy: true };
  await platform.edit(hcoPath, { spec: { liveMigrationConfig } }, "person");
  await platform.until(async () =>
    expect(await platform.specOf(hcoPath, "liveMigrationConfig")).toMatchObject({
      parallelMigrationsPerCluster: 3,
      allowPostCopy: false,
    }),
  );
});
