import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startWorld, type World } from "../../world/world.ts";
import { edit, higherDensity, loadAware, paths, requestsOf, rightNow, tellOnFailure } from "./cluster.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
  await world.simulate("three-workers");
  await world.startOperator({ flags: ["--advertise-profiles=false"] });
  for (const name of [loadAware, higherDensity]) {
    await world.configs.create(name, { action: "Apply" });
    await world.configs.until(name, "Completed");
  }
});
afterEach(tellOnFailure(() => world));
afterAll(() => world[Symbol.asyncDispose]());

/** Events are told when there is time, and a kind that is not served is looked for some times: neither counts here. */
const asked = (since: string) =>
  requestsOf(world.server, since).flatMap(({ verb, objectRef, requestURI }) => {
    const { resource = "events", subresource } = objectRef ?? {};
    if (resource === "events") return [];
    const isDry = requestURI.includes("dryRun=All");
    return `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}${isDry ? " (dry run)" : ""}`;
  });

/** Things that happen all the time, and mean nothing to a plan. */
async function stir(): Promise<void> {
  const { server } = world;
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

// In each test something that matters comes last, on the stream of one of the objects: what it costs is all that is asked.

test("a completed plan costs no request, whatever happens to its objects, until one drifts", async () => {
  const { configs, server } = world;
  const since = rightNow();
  await stir();
  expect(asked(since)).toEqual([]);
  await edit(server, paths.descheduler, { spec: { mode: "Predictive" } });
  await configs.until(loadAware, "Drifted");
  expect(distinct(asked(since))).toEqual([
    "get kubedeschedulers",
    "patch kubedeschedulers (dry run)",
    "update virtplatformconfigs/status",
  ]);
  const drifted = rightNow();
  for (const readyReplicas of [2, 3, 4])
    await edit(server, `${paths.descheduler}/status`, { status: { readyReplicas } });
  await edit(server, paths.descheduler, { spec: { mode: "Automatic" } });
  await configs.until(loadAware, "Completed");
  expect(distinct(asked(drifted))).toEqual(["update virtplatformconfigs/status"]);
  await configs.until(loadAware, "Completed");
});

test("a completed plan costs no request, whatever happens to its objects, until an input moves", async () => {
  const { configs, server } = world;
  await configs.until(higherDensity, "Completed");
  const since = rightNow();
  await stir();
  expect(asked(since)).toEqual([]);
  await edit(server, paths.hco, { spec: { higherWorkloadDensity: { memoryOvercommitPercentage: 140 } } });
  await configs.until(higherDensity, "ReviewRequired");
  expect(distinct(asked(since))).toEqual([
    "get daemonsets",
    "get hyperconvergeds",
    "get machineconfigs",
    "list nodes",
    "patch hyperconvergeds (dry run)",
    "patch machineconfigs (dry run)",
    "update virtplatformconfigs/status",
  ]);
});
