import { beforeAll, expect, test } from "vitest";
import { auditTimeNow, edit, higherDensity, loadAware, paths, requestsOf } from "../support/advisor.ts";
import { useAdvisor } from "../support/advisor-suite.ts";

const advisor = useAdvisor({ scenario: "no-vms" });
beforeAll(async () => {
  for (const name of [loadAware, higherDensity]) await advisor().configs.complete(name);
});

/** Excludes events and discovery, which have their own timing. */
const asked = (since: string) =>
  requestsOf(advisor().server, since).flatMap(({ verb, objectRef, requestURI }) => {
    const { resource = "events", subresource } = objectRef ?? {};
    if (resource === "events") return [];
    const isDry = requestURI.includes("dryRun=All");
    return `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}${isDry ? " (dry run)" : ""}`;
  });

async function stir(): Promise<void> {
  const { server } = advisor();
  for (const round of ["a", "b", "c"]) {
    const metadata = { annotations: { note: round }, labels: { note: round } };
    await edit(server, paths.hco, { metadata });
    await edit(server, `${paths.hco}/status`, { status: { systemHealthStatus: round } });
    await edit(server, paths.descheduler, { metadata, spec: { logLevel: round === "b" ? "Debug" : "Normal" } });
    await edit(server, `${paths.descheduler}/status`, { status: { readyReplicas: 1 } });
    await edit(server, paths.pool("worker"), { metadata });
    await edit(server, paths.psi, { metadata });
    await edit(server, paths.swap, { metadata });
    await edit(server, paths.node("worker-0"), { metadata });
  }
}

const distinct = (requests: readonly string[]) => [...new Set(requests)].toSorted();

/** A status can be visible before its request is in the audit log. */
async function expectAsked(since: string, requests: readonly string[]): Promise<void> {
  await expect.poll(() => asked(since)).toContain("update virtplatformconfigs/status");
  expect(distinct(asked(since))).toEqual(requests);
}

// Each test ends with a relevant change on one object's stream, which must cause the only requests.

test("sends no request for a completed plan until one of its targets drifts", async () => {
  const { configs, server } = advisor();
  const since = auditTimeNow();
  await stir();
  expect(asked(since)).toEqual([]);
  await edit(server, paths.descheduler, { spec: { mode: "Predictive" } });
  await configs.until(loadAware, "Drifted");
  await expectAsked(since, [
    "get kubedeschedulers",
    "patch kubedeschedulers (dry run)",
    "update virtplatformconfigs/status",
  ]);
  const drifted = auditTimeNow();
  for (const readyReplicas of [2, 3, 4])
    await edit(server, `${paths.descheduler}/status`, { status: { readyReplicas } });
  await edit(server, paths.psi, { metadata: { labels: { note: "d" } } }); // a reconcile does not confirm the plan again
  await edit(server, paths.descheduler, { spec: { mode: "Automatic" } });
  await configs.until(loadAware, "Completed");
  await expectAsked(drifted, ["update virtplatformconfigs/status"]);
  await configs.until(loadAware, "Completed");
});

test("sends no request for a completed plan until one of its inputs changes", async () => {
  const { configs, server } = advisor();
  await configs.until(higherDensity, "Completed");
  const since = auditTimeNow();
  await stir();
  expect(asked(since)).toEqual([]);
  await edit(server, paths.hco, { spec: { higherWorkloadDensity: { memoryOvercommitPercentage: 140 } } });
  await configs.until(higherDensity, "ReviewRequired");
  await expectAsked(since, [
    "get daemonsets",
    "get hyperconvergeds",
    "get machineconfigs",
    "list nodes",
    "patch hyperconvergeds (dry run)",
    "patch machineconfigs (dry run)",
    "update virtplatformconfigs/status",
  ]);
});

test("lists the objects left behind by an ignored config, then sends no request", async () => {
  const { configs } = advisor();
  await configs.edit(loadAware, { action: "Ignore" });
  const { leftBehind } = await configs.until(loadAware, "Ignored");
  expect(leftBehind?.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "MachineConfig 99-worker-psi-karg",
    "KubeDescheduler cluster",
  ]);
  await configs.edit(higherDensity, { action: "Ignore" });
  await configs.until(higherDensity, "Ignored");
  const since = auditTimeNow();
  await stir();
  await configs.edit(loadAware, { action: "DryRun" });
  expect((await configs.until(loadAware, "Completed")).leftBehind).toBeUndefined();
  await expect.poll(() => asked(since)).toContain("update virtplatformconfigs/status");
  expect(asked(since)[0]).toBe("update virtplatformconfigs/status");
});
