// @module-tag thorough

import type { Crd } from "@virt/testkit";
import { expect, test } from "vitest";
import { type ManagedTarget } from "../support/full-cluster.ts";
import { sharePlatform } from "../support/running-platform.ts";
import { mockCrd } from "../support/test-cluster.ts";

// The test checks refused requests itself.
const platform = sharePlatform({ lacksRights: true });

/** The CRD file of each kind with exactly one managed object. */
const kinds = {
  UIPlugin: "uiplugins",
  MetalLB: "metallbs",
  ForkliftController: "forkliftcontrollers",
  NodeHealthCheck: "nodehealthchecks",
};
const rounds = 25;

async function isManaged({ path }: ManagedTarget): Promise<boolean> {
  const { status, body } = await platform.testCluster.server.request({ path });
  const { metadata } = body as { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
  return status === 200 && metadata?.labels?.["platform.kubevirt.io/managed-by"] === "virt-platform-operator";
}

/** Excludes the 403 for creations while a CRD is being deleted, which is not a missing right. */
function refusals(): readonly string[] {
  const refused = platform.targets
    .flatMap(({ path }) => platform.requests(path))
    .filter(({ responseStatus }) => responseStatus?.code === 403);
  const why = refused.map(({ responseObject }) => (responseObject as { readonly message?: string }).message ?? "");
  return why.filter((message) => !message.endsWith("while custom resource definition is terminating"));
}

test("manages an object again after each of 100 removals of its CRD", {
  timeout: 480_000,
}, async () => {
  const { server } = platform.testCluster;
  const ofKinds = platform.targets.filter(({ ref }) => Object.hasOwn(kinds, ref.kind));
  const targets = [...Map.groupBy(ofKinds, ({ ref }) => ref.kind).values()].flatMap(([first]) => first ?? []);
  expect(targets).toHaveLength(Object.keys(kinds).length);
  const cycle = async (target: ManagedTarget) => {
    const plural = target.path.split("/").at(-2);
    const [group] = target.ref.apiVersion.split("/");
    const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`;
    await server.removeCrd((await server.request({ path: crd })).body as Crd);
    await server.installCrds([mockCrd(kinds[target.ref.kind as keyof typeof kinds])]);
    await expect.poll(() => isManaged(target), { interval: 50 }).toBe(true);
  };
  for (let round = 0; round < rounds; round++) await Promise.all(targets.map(cycle));
  expect(platform.operator.child.exitCode).toBeNull();
  expect(refusals()).toEqual([]);
  await platform.untilCorrected(targets[0]?.path ?? "");
});
