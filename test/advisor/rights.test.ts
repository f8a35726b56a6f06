import { conditionOf } from "@virt/advisor";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { accountName } from "../support/account.ts";
import { loadAware, paths, printRequestsOnFailure, readAt, writesOf } from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/virt-advisor-operator-manager-role";
const item = "enable-load-aware-descheduling";
const options = { loadAware: { enablePSIMetrics: false } };
const forbidden = /kubedeschedulers\.operator\.openshift\.io "cluster" is forbidden: User ".*" cannot patch resource/;
let testCluster: TestCluster;

type Rule = { readonly resources?: readonly string[]; readonly verbs: readonly string[] };

beforeAll(async () => {
  testCluster = await startTestCluster({ lacksRights: true });
  await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
});
afterEach(printRequestsOnFailure(() => testCluster));
afterAll(() => testCluster[Symbol.asyncDispose]());

const mayPatch = (isAllowed: boolean) =>
  limitTo(["get", "list", "watch", "create", ...(isAllowed ? ["patch"] : [])], { verb: "patch", isAllowed });

async function limitTo(
  verbs: readonly string[],
  { verb, isAllowed }: { readonly verb: string; readonly isAllowed: boolean },
): Promise<void> {
  const { rules } = (await readAt(testCluster.server, role)) as unknown as { readonly rules: readonly Rule[] };
  const others = rules.map((rule) => {
    if (rule.resources?.[0] !== "kubedeschedulers") return rule;
    return { ...rule, verbs };
  });
  const { status } = await testCluster.server.request({ method: "PATCH", path: role, body: { rules: others } });
  expect(status).toBe(200);
  const place = { namespace: "openshift-kube-descheduler-operator", name: "cluster" };
  const resourceAttributes = { group: "operator.openshift.io", resource: "kubedeschedulers", verb, ...place };
  const spec = { user: accountName("advisor"), resourceAttributes };
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: { name: "" }, spec };
  const isInForce = async () => {
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const answer = await testCluster.server.request({ method: "POST", path, body });
    return (answer.body as { readonly status?: { readonly allowed?: boolean } }).status?.allowed === isAllowed;
  };
  await expect.poll(isInForce).toBe(true);
}

test("reports a missing right with the next step, and drafts when it is granted", async () => {
  const { configs } = testCluster;
  await mayPatch(false);
  await configs.create(loadAware, { action: "DryRun", options });
  const failed = await configs.until(loadAware, "Failed");
  const own = conditionOf(failed, "Failed")?.message;
  expect(own).toMatch(/^Failed to generate plan items: KubeDescheduler openshift-kube-descheduler-operator\/cluster: /);
  expect(own).toMatch(forbidden);
  expect(conditionOf(failed, "Ready")?.message).toBe(
    `${own}. Next: fix the cause, then run: kubectl patch vpconf load-aware-rebalancing --type=merge -p '{"spec":{"action":"Ignore"}}' && kubectl patch vpconf load-aware-rebalancing --type=merge -p '{"spec":{"action":"DryRun"}}'`,
  );
  await mayPatch(true);
  await configs.edit(loadAware, { waitTimeout: "1h" });
  await configs.until(loadAware, "ReviewRequired");
});

test("fails an item without the right to apply it, and continues when granted", async () => {
  const { configs, server } = testCluster;
  await mayPatch(false);
  await configs.edit(loadAware, { action: "Apply" });
  const failed = await configs.until(loadAware, "Failed");
  expect(itemOf(failed, item).state).toBe("Failed");
  expect(itemOf(failed, item).message).toMatch(/^Failed to apply: /);
  expect(itemOf(failed, item).message).toMatch(forbidden);
  expect(conditionOf(failed, "Failed")?.message).toMatch(/^Item 'enable-load-aware-descheduling' failed: /);
  expect(writesOf(server)).toEqual([]);
  await mayPatch(true);
  await configs.edit(loadAware, { waitTimeout: "2h" });
  await configs.until(loadAware, "Completed");
  expect(await readAt(server, paths.descheduler)).toBeDefined();
});

test("lists an unreadable object as not checked when the plan ends", async () => {
  const { configs } = testCluster;
  await limitTo(["create"], { verb: "get", isAllowed: false });
  await configs.edit(loadAware, { action: "Ignore" });
  const ignored = await configs.until(loadAware, "Ignored");
  expect(ignored.leftBehind).toMatchObject([{ kind: "KubeDescheduler", name: "cluster", unread: true }]);
  expect(conditionOf(ignored, "Ready")?.message).toContain("check whether an earlier plan left these objects behind: ");
});
