// Plans with the descheduler operator of OpenShift 4.19 and later: its requirements and its status.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { conditionOf } from "@virt/advisor";
import type { Item, Status } from "@virt/api";
import { asList, asText, at } from "@virt/objects";
import { expect, test } from "vitest";
import { edit, fault, loadAware, paths, readAt, reasonsAbout } from "../support/advisor.ts";
import { deschedulerItem, psiItem, useAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";
import { createPrometheusRoute, deschedulerNamespace, monitoredNamespace, routeCrd } from "../support/monitoring.ts";
import type { RunningProgram } from "../support/program.ts";

const refusal = "profile KubeVirtRelieveAndMigrate can only be used when PSI metrics are enabled for the worker nodes";
let scenario: string;
let simulator: RunningProgram;

const advisor = useAdvisor({
  prepare: async ({ server, simulate }) => {
    await server.installCrds([routeCrd]);
    scenario = join(server.folder, "needs-psi.json");
    const namespace = "openshift-kube-descheduler-operator";
    writeFileSync(scenario, JSON.stringify({ vms: [], descheduler: { namespace, needsPsi: true } }));
    simulator = await simulate(scenario);
    return {};
  },
});

const untilMissing = (text: string) =>
  advisor().configs.until(
    loadAware,
    (status) => conditionOf(status, "PrerequisiteFailed")?.message.startsWith(text) === true,
  );

const draftAgain = async () => {
  await advisor().configs.edit(loadAware, { action: "Ignore" });
  await advisor().configs.edit(loadAware, { action: "DryRun" });
};

test("reports a missing Prometheus Route or namespace label as a prerequisite with its fix", async () => {
  const { configs, server } = advisor();
  await configs.create(loadAware, { action: "DryRun" });
  await untilMissing("The descheduler operator reads metrics through Route openshift-monitoring/prometheus-k8s");
  await createPrometheusRoute(server);
  await draftAgain();
  const unlabelled = await untilMissing("Namespace 'openshift-kube-descheduler-operator' does not have label");
  expect(conditionOf(unlabelled, "Ready")?.message).toContain(
    "Next: kubectl label namespace openshift-kube-descheduler-operator openshift.io/cluster-monitoring=true",
  );
  await edit(server, deschedulerNamespace, monitoredNamespace);
  await draftAgain();
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(reviewed, deschedulerItem).warnings).toEqual([
    "Rebalancing starts when PSI metrics are enabled on the nodes",
  ]);
});

test("the descheduler item waits for PSI, and reports this as expected", async () => {
  const { configs, server } = advisor();
  await fault(server, paths.pool("worker"), ["render-delay", "9000h"]); // delays PSI on the nodes until the fault ends
  await configs.edit(loadAware, { action: "Apply" });
  const said = `KubeDescheduler 'cluster' is degraded (${refusal}); expected until PSI metrics are enabled on the nodes`;
  const isWaiting = ({ state, message }: Item) => state === "InProgress" && message === said;
  const waiting = await configs.until(loadAware, ({ items = [] }: Status) =>
    items.some((item) => item.name === deschedulerItem && isWaiting(item)),
  );
  expect(waiting.phase).toBe("InProgress");
  expect(itemOf(waiting, psiItem).state).not.toBe("Completed");
  expect(conditionOf(waiting, "Stalled")?.status).toBe("False");
  await fault(server, paths.pool("worker"), ["render-delay", null]);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, deschedulerItem).state).toBe("Completed");
  const ready = await configs.until(loadAware, (status) => conditionOf(status, "Ready")?.status === "True");
  expect(ready.rollout?.findings).toEqual([]);
});

test("a completed plan is not Ready while the descheduler operator is degraded", async () => {
  const { configs, server } = advisor();
  await fault(server, paths.descheduler, ["degrade", "no image"]);
  const degraded = await configs.until(loadAware, (status) => conditionOf(status, "Ready")?.status === "False");
  expect(degraded.phase).toBe("Completed");
  expect(conditionOf(degraded, "Ready")).toMatchObject({
    reason: "TargetDegraded",
    message:
      "KubeDescheduler 'cluster' is degraded (no image). Next: kubectl describe kubedescheduler cluster -n openshift-kube-descheduler-operator",
  });
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("TargetDegraded");
  await fault(server, paths.descheduler, ["degrade", null]);
  await configs.until(loadAware, (status) => conditionOf(status, "Ready")?.status === "True");
});

/** managedFields times have a resolution of one second, and the later write needs a later time. */
async function untilNextSecond(): Promise<void> {
  const live = await readAt(advisor().server, paths.descheduler);
  const times = asList(at(live, "metadata", "managedFields")).flatMap((entry) => asText(at(entry, "time")) ?? []);
  const latest = Math.max(...times.map((time) => Date.parse(time)));
  await expect.poll(() => Date.now(), { timeout: 120_000 }).toBeGreaterThan(latest + 1000);
}

test("a plan does not complete before the descheduler operator has processed its change", async () => {
  const { configs, server } = advisor();
  const deschedulingIntervalSeconds = 120;
  await configs.edit(loadAware, { action: "DryRun", options: { loadAware: { deschedulingIntervalSeconds } } });
  await configs.until(loadAware, "ReviewRequired");
  await simulator.kill();
  await untilNextSecond();
  await configs.edit(loadAware, { action: "Apply" });
  const message = "The operator of KubeDescheduler 'cluster' has not processed the change yet";
  const waiting = await configs.until(loadAware, ({ items = [] }: Status) =>
    items.some((item) => item.name === deschedulerItem && item.message === message),
  );
  expect([waiting.phase, itemOf(waiting, deschedulerItem).state]).toEqual(["InProgress", "InProgress"]);
  expect(conditionOf(waiting, "Stalled")?.status).toBe("False");

  await fault(server, paths.descheduler, ["degrade", "no image"]);
  await advisor().simulate(scenario);
  const refused = await configs.until(loadAware, (status) => conditionOf(status, "Stalled")?.status === "True");
  expect([refused.phase, conditionOf(refused, "Stalled")?.reason]).toEqual(["InProgress", "TargetDegraded"]);
  await fault(server, paths.descheduler, ["degrade", null]);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, deschedulerItem).state).toBe("Completed");
});
