// Without its flag and rights, example-profile is disabled: the advisor reports this and does nothing for it.

import { conditionOf } from "@virt/advisor";
import type { Phase, Spec } from "@virt/api";
import { type ApiUser, inRepository } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { isOperators } from "../../tools/rights/used-rights.ts";
import { openAccount } from "../support/account.ts";
import { auditTimeNow, edit, printRequestsOnFailure, readAt, removeAt } from "../support/advisor.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const profile = "example-profile";
const target = "/api/v1/namespaces/openshift-cnv/configmaps/example-config";
const disabled = 'Profile disabled: to use profile "example-profile", start the operator with --example-profile';
let testCluster: TestCluster;
let advisor: ApiUser;

beforeAll(async () => {
  testCluster = await startTestCluster({ hasExampleProfile: false });
  advisor = await openAccount(testCluster.server, "advisor");
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  await testCluster.configs.remove(profile);
  await removeAt(testCluster.server, target);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

async function flagsOf(overlay: string): Promise<readonly string[]> {
  const { stdout } = await testCluster.server.kubectl("kustomize", inRepository("config", overlay));
  const [, value] = /name: VIRT_OPERATOR_EXAMPLE_PROFILE\n *value: "(\w+)"/.exec(stdout) ?? [];
  return ["--advertise-profiles=false", `--example-profile=${value}`];
}

async function allowExample(verb: "apply" | "delete"): Promise<void> {
  const { code, stderr } = await testCluster.server.kubectl(verb, "-k", inRepository("config", "rbac", profile));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const isAllowed = async () => (await advisor.request({ path: target })).status !== 403;
  await expect.poll(isAllowed).toBe(verb === "apply");
}

function requestsForConfigMaps(since = ""): readonly string[] {
  return testCluster.server
    .audit()
    .filter((event) => isOperators(event) && event.objectRef?.resource === "configmaps")
    .flatMap(({ requestReceivedTimestamp, verb, requestURI }) =>
      requestReceivedTimestamp > since ? [`${verb} ${requestURI}`] : [],
    );
}

test("the default installation has no access to the ConfigMap, and reports the disabled profile", async () => {
  const { configs, startOperator } = testCluster;
  expect((await advisor.request({ path: target })).status).toBe(403);
  const operator = await startOperator({ flags: await flagsOf("default") });
  await configs.create(profile, { action: "Apply" });
  const status = await configs.until(profile, "PrerequisiteFailed");
  expect(conditionOf(status, "PrerequisiteFailed")?.message).toBe(disabled);
  expect(conditionOf(status, "Ready")?.message).toContain("Next: install config/example-profile");
  expect(requestsForConfigMaps()).toEqual([]);
  await operator.kill();
});

type Left = {
  readonly phase: Phase;
  readonly spec: Partial<Spec>;
  readonly isDrifted?: boolean;
  readonly later: Phase;
};

const phases: readonly Left[] = [
  { phase: "ReviewRequired", spec: { action: "DryRun" }, later: "ReviewRequired" },
  { phase: "Completed", spec: { action: "Apply" }, later: "Completed" },
  {
    phase: "Drifted",
    spec: { action: "Apply", bypassOptimisticLock: false },
    isDrifted: true,
    later: "ReviewRequired",
  },
];

test.each(phases)(
  "leaves a $phase config alone while disabled, then returns to $later",
  async ({ phase, spec, isDrifted = false, later }) => {
    const { configs, server, startOperator } = testCluster;
    await allowExample("apply");
    const before = await startOperator({ flags: await flagsOf(profile) });
    await configs.create(profile, spec);
    if (isDrifted) {
      await configs.until(profile, "Completed");
      await edit(server, target, { data: { "example-key": "mine" } });
    }
    await configs.until(profile, phase);
    await before.kill();
    await allowExample("delete");

    const since = auditTimeNow();
    const found = await readAt(server, target);
    const without = await startOperator({ flags: await flagsOf("default") });
    const status = await configs.until(profile, "PrerequisiteFailed");
    expect(conditionOf(status, "PrerequisiteFailed")?.message).toBe(disabled);
    await without.kill();
    expect(requestsForConfigMaps(since)).toEqual([]);
    expect(await readAt(server, target)).toEqual(found);

    await allowExample("apply");
    const after = await startOperator({ flags: await flagsOf(profile) });
    await configs.until(profile, later);
    expect(await readAt(server, target)).toEqual(found);
    await after.kill();
    await allowExample("delete");
  },
);

test("the overlay installs the flag, the rights, and the policies for one ConfigMap", async () => {
  const { configs, server, startOperator } = testCluster;
  const { code, stderr } = await server.kubectl("apply", "--server-side", "-k", inRepository("config", profile));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  await expect.poll(async () => (await advisor.request({ path: target })).status).toBe(404);
  await startOperator({ flags: await flagsOf(profile) });
  await configs.complete(profile);
  expect(await readAt(server, target)).toMatchObject({ data: { "example-key": "example-value" } });
  await allowExample("delete");
});
