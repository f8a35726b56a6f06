import { conditionOf } from "@virt/advisor";
import { expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { edit, loadAware, removeAt, writesOf } from "../support/advisor.ts";
import { startAdvisor, withoutPsi } from "../support/advisor-suite.ts";

const name = "virt-advisor-operator-approvals";
const group = "/apis/admissionregistration.k8s.io/v1";
const policy = `${group}/validatingadmissionpolicies/${name}`;
const binding = `${group}/validatingadmissionpolicybindings/${name}`;

test("--require-approved-plan: runs nothing while its admission policy is missing or changed", async () => {
  await using advisor = await startAdvisor({ flags: ["--advertise-profiles=false", "--require-approved-plan"] });
  const { configs, server } = advisor;
  const { planHash = "" } = await configs.draft(loadAware, { options: withoutPsi });

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
  const stillHeld = await configs.until(loadAware, "ReviewRequired", 3);
  expect(stillHeld.review?.reason).toBe("PolicyNotInForce");
  expect(conditionOf(stillHeld, "ReviewRequired")?.message).toContain(`${name} does not match this release`);
  expect(writesOf(server)).toEqual([]);

  await edit(server, policy, { spec: { matchConstraints: { objectSelector: { matchLabels: null } } } });
  await configs.edit(loadAware, { action: "DryRun", bypassOptimisticLock: false });
  const again = await configs.until(loadAware, "ReviewRequired", 4);
  await configs.approve(loadAware, { approvedPlan: again.planHash });
  expect(writesOf(server)).toEqual(["patch kubedeschedulers/cluster"]);
});
