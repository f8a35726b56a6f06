// @module-tag thorough

import type { Crd } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, type ManagedTarget, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { mockCrd } from "../support/test-cluster.ts";

let fullCluster: FullCluster;
let operator: RunningProgram;

beforeAll(async () => {
  fullCluster = await startFullCluster({ lacksRights: true }); // this test checks refused requests itself
  operator = await fullCluster.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

/** The CRD file of each kind with exactly one object of ours. */
const kinds = {
  UIPlugin: "uiplugins",
  MetalLB: "metallbs",
  ForkliftController: "forkliftcontrollers",
  NodeHealthCheck: "nodehealthchecks",
};
const rounds = 25;

async function isManaged({ path }: ManagedTarget): Promise<boolean> {
  const { status, body } = await fullCluster.testCluster.server.request({ path });
  const { metadata } = body as { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
  return status === 200 && metadata?.labels?.["platform.kubevirt.io/managed-by"] === "virt-platform-operator";
}

/** Excludes the 403 for creations while a CRD is being deleted, which is not a missing right. */
function refusals(): readonly string[] {
  const refused = fullCluster.targets
    .flatMap(({ path }) => fullCluster.requests(path))
    .filter(({ responseStatus }) => responseStatus?.code === 403);
  const why = refused.map(({ responseObject }) => (responseObject as { readonly message?: string }).message ?? "");
  return why.filter((message) => !message.endsWith("while custom resource definition is terminating"));
}

test("manages an object again after each of 100 removals of its CRD", {
  timeout: 480_000,
}, async () => {
  const { server } = fullCluster.testCluster;
  const targets = fullCluster.targets.filter(({ ref }) => Object.hasOwn(kinds, ref.kind));
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
  expect(operator.child.exitCode).toBeNull();
  expect(refusals()).toEqual([]);
  await fullCluster.edit(targets[0]?.path ?? "", {
    metadata: { labels: { "platform.kubevirt.io/managed-by": "nobody" } },
  });
  await expect.poll(() => isManaged(targets[0] as ManagedTarget)).toBe(true);
});
