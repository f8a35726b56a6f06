import { expect, test } from "vitest";
import { hcoPath } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const platform = sharePlatform();

type ReconcileCounts = Readonly<Record<string, number>>;

const check = "NodeHealthCheck/virt-node-health-check";
const hco = "HyperConverged/kubevirt-hyperconverged";
/** An object whose correction shows that everything earlier was reconciled. */
const marker = "UIPlugin/";

async function reconcileCounts(): Promise<ReconcileCounts> {
  const lines = await platform.outputs.series("reconcile_duration_seconds_count{");
  const counts = lines.map((line) => /kind="(\w+)",name="([^"]+)".* (\d+)$/.exec(line) ?? []);
  return Object.fromEntries(counts.map(([, kind, name, count]) => [`${kind}/${name}`, Number(count)]));
}

async function reconciledSince(before: ReconcileCounts): Promise<readonly string[]> {
  const now = await reconcileCounts();
  return Object.keys(now).filter((object) => now[object] !== before[object] && !object.startsWith(marker));
}

/** Waits until an edit of the marker is corrected and the queue is empty. */
async function drainQueue(): Promise<ReconcileCounts> {
  await platform.untilCorrected(objectPaths.plugin);
  await platform.until(async () => expect(await platform.outputs.isIdle()).toBe(true));
  return reconcileCounts();
}

test("drift reconciles only the changed object", async () => {
  const before = await drainQueue();
  await platform.edit(objectPaths.check, { spec: { minHealthy: "10%" } });
  await platform.until(async () => expect(await platform.specOf(objectPaths.check, "minHealthy")).toBe("51%"));
  await platform.until(async () => expect(await reconciledSince(before)).toContain(check));
  await drainQueue();
  expect(await reconciledSince(before)).toEqual([check]);
});

test("a second object of a singleton kind reconciles only the managed one", async () => {
  const before = await drainQueue();
  const collection = objectPaths.check.replace(/\/[^/]+$/, "");
  const { server } = platform.testCluster;
  const { apiVersion, kind, spec } = await platform.read(objectPaths.check);
  const other = { apiVersion, kind, metadata: { name: "theirs" }, spec };
  expect((await server.request({ method: "POST", path: collection, body: other })).status).toBe(201);
  await platform.until(async () => expect(await reconciledSince(before)).toContain(check));
  await drainQueue();
  expect(await reconciledSince(before)).toEqual([check]);
  const there = await reconcileCounts();
  await server.request({ method: "DELETE", path: `${collection}/theirs` });
  await platform.until(async () => expect(await reconciledSince(there)).toContain(check)); // before the next test
});

test("a foreign annotation on the HyperConverged reconciles no other object", async () => {
  const before = await drainQueue();
  await platform.annotate(hcoPath, { "example.com/note": "new" });
  await platform.until(async () => expect(await reconciledSince(before)).toContain(hco));
  await drainQueue();
  expect(await reconciledSince(before)).toEqual([hco]);
});

test("an annotation of ours on the HyperConverged reconciles every object", async () => {
  const before = await drainQueue();
  const others = Object.keys(before).filter((object) => !object.startsWith(marker));
  await platform.annotate(hcoPath, { "disabled-resources": "[]" });
  await platform.until(async () => expect((await reconciledSince(before)).toSorted()).toEqual(others.toSorted()));
});
