import { conditionOf } from "@virt/advisor";
import { expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { edit, loadAware, removeAt, writesOf } from "../support/advisor.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const options = { loadAware: { enablePSIMetrics: false } };
const name = "virt-advisor-operator-approvals";
const group = "/apis/admissionregistration.k8s.io/v1";
const policy = `${group}/validatingadmissionpolicies/${name}`;
const binding = `${group}/validatingadmissionpolicybindings/${name}`;

test("under --require-approved-plan nothing is executed while a policy is missing or another one, and an approval from then does not count", async () => {
  await using testCluster = await startTestCluster();
  const { configs, server } = testCluster;
  await testCluster.startOperator({ flags: ["--advertise-profiles=false", "--require-approved-plan"] });
  await configs.create(loadAware, { action: "DryRun", options });
  const { planHash = "" } = await configs.until(loadAware, "ReviewRequired");

  await removeAt(server, binding);
  await configs.edit(loadAware, { action: "Apply", approvedPlan: planHash });
  const held = await configs.until(loadAware, ({ review }) => review?.reason === "PolicyNotInForce");
  expect(held.phase).toBe("ReviewRequired");
  expect(conditionOf(held, "ReviewRequired")?.message).toContain(
    `approvals cannot be trusted: ValidatingAdmissionPolicyBinding ${name} is missing. Next: `,
  );
  await expect
    .poll(async () => {
      const { body } = await server.request({ path: "/apis/events.k8s.io/v1/namespaces/default/events" });
      return (body as { readonly items: readonly { readonly reason: string; readonly note: string }[] }).items
        .filter(({ reason }) => reason === "AdmissionPolicyNotInForce")
        .map(({ note }) => note);
    })
    .toEqual([expect.stringContaining(`ValidatingAdmissionPolicyBinding ${name} is missing`)]);

  await operatorAccount(server, "advisor");
  await edit(server, policy, { spec: { matchConstraints: { objectSelector: { matchLabels: { never: "there" } } } } });
  await configs.edit(loadAware, { bypassOptimisticLock: true });
  const stillHeld = await configs.until(
    loadAware,
    ({ phase, observedGeneration }) => phase === "ReviewRequired" && observedGeneration === 3,
  );
  expect(stillHeld.review?.reason).toBe("PolicyNotInForce");
  expect(conditionOf(stillHeld, "ReviewRequired")?.message).toContain(`${name} does not match this release`);
  expect(writesOf(server)).toEqual([]);

  await edit(server, policy, { spec: { matchConstraints: { objectSelector: { matchLabels: null } } } });
  await configs.edit(loadAware, { action: "DryRun", bypassOptimisticLock: false });
  const again = await configs.until(
    loadAware,
    ({ phase, observedGeneration }) => phase === "ReviewRequired" && observedGeneration === 4,
  );
  await configs.edit(loadAware, { action: "Apply", approvedPlan: again.planHash });
  await configs.until(loadAware, "Completed");
  expect(writesOf(server)).toEqual(["patch kubedeschedulers/cluster"]);
});
