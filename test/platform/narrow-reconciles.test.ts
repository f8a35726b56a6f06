import { asText, at } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { type OperatorOutputs, openOperatorOutputs } from "../support/operator-outputs.ts";

let fullCluster: FullCluster;
let outputs: OperatorOutputs;
beforeAll(async () => {
  fullCluster = await startFullCluster();
  outputs = await openOperatorOutputs(fullCluster);
  await outputs.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

type ReconcileCounts = Readonly<Record<string, number>>;

const check = "NodeHealthCheck/virt-node-health-check";
const hco = "HyperConverged/kubevirt-hyperconverged";
/** An object whose correction shows that everything earlier was reconciled. */
const marker = "UIPlugin/";
const managedBy = "platform.kubevirt.io/managed-by";

const pathOf = (kind: string) => fullCluster.targets.find(({ ref }) => ref.kind === kind)?.path ?? "";
const annotateHco = (annotations: Readonly<Record<string, string>>) =>
  fullCluster.edit(pathOf("HyperConverged"), { metadata: { annotations } });

async function reconcileCounts(): Promise<ReconcileCounts> {
  const lines = await outputs.series("reconcile_duration_seconds_count{");
  const counts = lines.map((line) => /kind="(\w+)",name="([^"]+)".* (\d+)$/.exec(line) ?? []);
  return Object.fromEntries(counts.map(([, kind, name, count]) => [`${kind}/${name}`, Number(count)]));
}

async function reconciledSince(before: ReconcileCounts): Promise<readonly string[]> {
  const now = await reconcileCounts();
  return Object.keys(now).filter((object) => now[object] !== before[object] && !object.startsWith(marker));
}

let edits = 0;

/** Waits until an edit of the marker is corrected and the queue is empty. */
async function drainQueue(): Promise<ReconcileCounts> {
  const path = pathOf("UIPlugin");
  edits += 1; // a new field manager each time, to avoid an edit war
  await fullCluster.edit(path, { metadata: { labels: { [managedBy]: "nobody" } } }, `editor-${edits}`);
  await fullCluster.until(async () =>
    expect((await fullCluster.read(path)).metadata.labels?.[managedBy]).toBe("virt-platform-operator"),
  );
  await fullCluster.until(async () => expect(await outputs.isIdle()).toBe(true));
  return reconcileCounts();
}

test("drift reconciles only the changed object", async () => {
  const path = pathOf("NodeHealthCheck");
  const before = await drainQueue();
  await fullCluster.edit(path, { spec: { minHealthy: "10%" } });
  await fullCluster.until(async () =>
    expect(asText(at(await fullCluster.read(path), "spec", "minHealthy"))).toBe("51%"),
  );
  await fullCluster.until(async () => expect(await reconciledSince(before)).toContain(check));
  await drainQueue();
  expect(await reconciledSince(before)).toEqual([check]);
});

test("a second object of a singleton kind reconciles only ours of that kind", async () => {
  const before = await drainQueue();
  const collection = pathOf("NodeHealthCheck").replace(/\/[^/]+$/, "");
  const { server } = fullCluster.testCluster;
  const { apiVersion, kind, spec } = await fullCluster.read(pathOf("NodeHealthCheck"));
  const other = { apiVersion, kind, metadata: { name: "theirs" }, spec };
  expect((await server.request({ method: "POST", path: collection, body: other })).status).toBe(201);
  await fullCluster.until(async () => expect(await reconciledSince(before)).toContain(check));
  await drainQueue();
  expect(await reconciledSince(before)).toEqual([check]);
  const there = await reconcileCounts();
  await server.request({ method: "DELETE", path: `${collection}/theirs` });
  await fullCluster.until(async () => expect(await reconciledSince(there)).toContain(check)); // before the next test
});

test("a foreign annotation on the HyperConverged reconciles no other object", async () => {
  const before = await drainQueue();
  await annotateHco({ "example.com/note": "new" });
  await fullCluster.until(async () => expect(await reconciledSince(before)).toContain(hco));
  await drainQueue();
  expect(await reconciledSince(before)).toEqual([hco]);
});

test("an annotation of ours on the HyperConverged reconciles every object", async () => {
  const before = await drainQueue();
  const others = Object.keys(before).filter((object) => !object.startsWith(marker));
  await annotateHco({ "platform.kubevirt.io/disabled-resources": "[]" });
  await fullCluster.until(async () => expect((await reconciledSince(before)).toSorted()).toEqual(others.toSorted()));
});
