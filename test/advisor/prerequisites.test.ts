import { readFileSync } from "node:fs";
import { conditionOf } from "@virt/advisor";
import type { Crd } from "@virt/testkit";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { loadAware, reasonsAbout, writesOf } from "../support/advisor.ts";
import { useAdvisor, withoutPsi } from "../support/advisor-suite.ts";
import { mockCrd } from "../support/test-cluster.ts";

const deschedulers = mockCrd("kubedeschedulers-v532");

const advisor = useAdvisor({ crds: { kubedeschedulers: null, machineconfigs: null, hyperconvergeds: null } });

const lines = {
  descheduler: "  - KubeDescheduler (operator.openshift.io.v1): Please install the Descheduler Operator via OLM\n",
  machineConfig:
    "  - MachineConfig (machineconfiguration.openshift.io.v1): MachineConfig CRD is required for PSI metrics configuration (typically available on OpenShift)\n",
  hco: "  - HyperConverged (hco.kubevirt.io.v1beta1): Please install OpenShift Virtualization via OLM\n",
};
const missing = (...which: readonly string[]) => `Missing required dependencies:\n${which.join("")}`;
const untilSaid = (message: string) =>
  advisor().configs.until(loadAware, (status) => conditionOf(status, "PrerequisiteFailed")?.message === message);

test("lists missing CRDs, updates the list, and plans when all are installed", async () => {
  const { configs, server } = advisor();
  await configs.create(loadAware, { action: "DryRun" });
  const all = await untilSaid(missing(lines.descheduler, lines.machineConfig, lines.hco));
  expect(all.phase).toBe("PrerequisiteFailed");
  expect(all.impactSeverity).toBe("High");
  expect(conditionOf(all, "Stalled")).toMatchObject({ status: "True", reason: "PrerequisiteFailed" });
  await server.installCrds([mockCrd("machineconfigs")]);
  await untilSaid(missing(lines.descheduler, lines.hco));
  await server.installCrds([mockCrd("hyperconvergeds-v1beta1")]);
  await untilSaid(missing(lines.descheduler));
  await server.installCrds([deschedulers]);
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(reviewed.observedGeneration).toBe(1);
  expect(reviewed.items).toHaveLength(2);
  await expect
    .poll(() => reasonsAbout(server, loadAware))
    .toEqual(expect.arrayContaining(["PrerequisitesMissing", "PrerequisitesAvailable", "PlanDrafted"]));
  expect(advisor().operator.child.exitCode).toBeNull();
  await configs.remove(loadAware);
});

test("runs a pending Apply when the missing CRD is installed", async () => {
  const { configs, server } = advisor();
  await server.removeCrd(load(readFileSync(deschedulers, "utf8")) as Crd);
  await configs.create(loadAware, { action: "Apply", options: withoutPsi });
  await untilSaid(missing(lines.descheduler));
  await server.installCrds([deschedulers]);
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.executedGeneration).toBe(1);
});

/** The operator's refused watches of deschedulers, from which it learns that its stream has ended. */
const refusedWatches = () =>
  advisor()
    .server.audit()
    .filter(({ verb, objectRef }) => verb === "watch" && objectRef?.resource === "kubedeschedulers")
    .filter(({ responseStatus }) => responseStatus?.code === 404);

test("reports a CRD removed after completion, and requires a review when it returns", async () => {
  const { configs, server } = advisor();
  await configs.until(loadAware, "Completed");
  const refused = refusedWatches().length;
  await server.removeCrd(load(readFileSync(deschedulers, "utf8")) as Crd);
  const lost = await configs.until(loadAware, "PrerequisiteFailed");
  expect(conditionOf(lost, "PrerequisiteFailed")?.message).toBe(missing(lines.descheduler));
  const writes = writesOf(server).length;
  // The API server keeps a stream open for a second after the kind is gone.
  await expect.poll(() => refusedWatches().length).toBeGreaterThan(refused);
  await server.installCrds([deschedulers]);
  const waiting = await configs.until(loadAware, "ReviewRequired");
  expect(waiting.review).toMatchObject({ forced: true, reason: "NotRequested", generation: 1 });
  expect(writesOf(server).slice(writes)).toEqual([]);
  await configs.reapprove(loadAware);
  expect(advisor().operator.child.exitCode).toBeNull();
});
