import { conditionOf } from "@virt/advisor";
import { expect, test } from "vitest";
import { loadAware, paths, readAt, writesOf } from "../support/advisor.ts";
import { deschedulerItem, useAdvisor, withoutPsi } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";
import { changeRules, managerRole, untilAllowed } from "../support/rights.ts";

const forbidden = /kubedeschedulers\.operator\.openshift\.io "cluster" is forbidden: User ".*" cannot patch resource/;

const advisor = useAdvisor({ lacksRights: true });

/** Limits the advisor's verbs for deschedulers. */
async function limitTo(verbs: readonly string[], verb: string, isAllowed: boolean): Promise<void> {
  const { server } = advisor();
  const [group, resource] = ["operator.openshift.io", "kubedeschedulers"];
  await changeRules(server, managerRole, (rules) =>
    rules.map((rule) => (rule.resources?.[0] === resource ? { ...rule, verbs } : rule)),
  );
  await untilAllowed(server, { group, resource, verb, namespace: "openshift-kube-descheduler-operator" }, isAllowed);
}

const reading = ["get", "list", "watch", "create"];
const denyPatch = () => limitTo(reading, "patch", false);
const allowPatch = () => limitTo([...reading, "patch"], "patch", true);

test("reports a missing right with the next step, and drafts when it is granted", async () => {
  const { configs } = advisor();
  await denyPatch();
  await configs.create(loadAware, { action: "DryRun", options: withoutPsi });
  const failed = await configs.until(loadAware, "Failed");
  const own = conditionOf(failed, "Failed")?.message;
  expect(own).toMatch(/^Failed to generate plan items: KubeDescheduler openshift-kube-descheduler-operator\/cluster: /);
  expect(own).toMatch(forbidden);
  expect(conditionOf(failed, "Ready")?.message).toBe(
    `${own}. Next: fix the cause, then run: kubectl patch vpconf load-aware-rebalancing --type=merge -p '{"spec":{"action":"Ignore"}}' && kubectl patch vpconf load-aware-rebalancing --type=merge -p '{"spec":{"action":"DryRun"}}'`,
  );
  await allowPatch();
  await configs.edit(loadAware, { waitTimeout: "1h" });
  await configs.until(loadAware, "ReviewRequired");
});

test("fails an item without the right to apply it, and continues when granted", async () => {
  const { configs, server } = advisor();
  await denyPatch();
  await configs.edit(loadAware, { action: "Apply" });
  const failed = await configs.until(loadAware, "Failed");
  expect(itemOf(failed, deschedulerItem).state).toBe("Failed");
  expect(itemOf(failed, deschedulerItem).message).toMatch(/^Failed to apply: /);
  expect(itemOf(failed, deschedulerItem).message).toMatch(forbidden);
  expect(conditionOf(failed, "Failed")?.message).toMatch(/^Item 'enable-load-aware-descheduling' failed: /);
  expect(writesOf(server)).toEqual([]);
  await allowPatch();
  await configs.edit(loadAware, { waitTimeout: "2h" });
  await configs.until(loadAware, "Completed");
  expect(await readAt(server, paths.descheduler)).toBeDefined();
});

test("lists an unreadable object as not checked when the plan ends", async () => {
  const { configs } = advisor();
  await limitTo(["create"], "get", false);
  await configs.edit(loadAware, { action: "Ignore" });
  const ignored = await configs.until(loadAware, "Ignored");
  expect(ignored.leftBehind).toMatchObject([{ kind: "KubeDescheduler", name: "cluster", unread: true }]);
  expect(conditionOf(ignored, "Ready")?.message).toContain("check whether an earlier plan left these objects behind: ");
});
