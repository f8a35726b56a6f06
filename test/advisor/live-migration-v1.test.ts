// The profile live-migration writes the same values to HyperConverged v1 and v1beta1.

import type { Item, Json, JsonMap } from "@virt/api";
import { at } from "@virt/objects";
import { expect, test } from "vitest";
import { paths, readAt } from "../support/advisor.ts";
import { create, createHco } from "../support/advisor-objects.ts";
import { type RunningAdvisor, useAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const profile = "live-migration";
const item = "configure-live-migration";
const v1Hcos = "/apis/hco.kubevirt.io/v1/namespaces/openshift-cnv/hyperconvergeds";

const older = useAdvisor({
  moreCrds: ["migrationpolicies"],
  prepare: async ({ server }) => {
    await createHco(server, {});
  },
});
const newer = useAdvisor({
  moreCrds: ["migrationpolicies"],
  crds: { hyperconvergeds: "hyperconvergeds-v1" },
  prepare: async ({ server }) => {
    const metadata = { name: "kubevirt-hyperconverged", namespace: "openshift-cnv" };
    await create(server, v1Hcos, { apiVersion: "hco.kubevirt.io/v1", kind: "HyperConverged", metadata, spec: {} });
  },
});

const liveMigration: JsonMap = {
  perCluster: 12,
  perNode: 3,
  bandwidthPerMigration: "512Mi",
  completionSecondsPerGiB: 90,
  progressSeconds: 240,
  convergence: "AutoConverge",
};

/** The plan with the paths of v1beta1. */
function comparable({ name, message, impactSeverity, managedFields = [], warnings, desiredState }: Item): Json {
  const spec = at(desiredState ?? null, "spec");
  return {
    name,
    message,
    impactSeverity,
    managedFields: managedFields.map((field) => field.replace("spec.virtualization.", "spec.")),
    warnings: [...(warnings ?? [])],
    values: at(spec ?? null, "virtualization") ?? spec ?? null,
  };
}

async function plan({ configs }: RunningAdvisor): Promise<Json> {
  return comparable(itemOf(await configs.draft(profile, { options: { liveMigration } }), item));
}

test("C: HyperConverged v1 and v1beta1 get the same plan up to paths", async () => {
  const [before, now] = await Promise.all([plan(older()), plan(newer())]);
  expect(now).toEqual(before);
  expect(at(before, "values", "liveMigrationConfig")).toEqual({
    parallelMigrationsPerCluster: 12,
    parallelOutboundMigrationsPerNode: 3,
    bandwidthPerMigration: "512Mi",
    completionTimeoutPerGiB: 90,
    progressTimeout: 240,
    allowAutoConverge: true,
    allowPostCopy: false,
  });
});

test("C: both are applied, and removed again", async () => {
  const v1 = `${v1Hcos}/kubevirt-hyperconverged`;
  const progress = async () => [
    at(await readAt(older().server, paths.hco), "spec", "liveMigrationConfig", "progressTimeout"),
    at(await readAt(newer().server, v1), "spec", "virtualization", "liveMigrationConfig", "progressTimeout"),
  ];
  await Promise.all([older(), newer()].map(({ configs }) => configs.approve(profile)));
  expect(await progress()).toEqual([240, 240]);
  const off = { options: { liveMigration: { enabled: false } } };
  await Promise.all([older(), newer()].map(({ configs }) => configs.edit(profile, off)));
  await expect.poll(progress).toEqual([150, 150]);
});
