import { at, type Json } from "@virt/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Golden, startGolden, untilConverged } from "./golden.ts";
import { type NoDryRuns, startNoDryRuns } from "./no-dry-runs.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
let golden: Golden;
let webhook: NoDryRuns;

beforeAll(async () => {
  golden = await startGolden();
  await golden.start();
  await untilConverged(golden);
  const { server } = golden.world;
  webhook = await startNoDryRuns(server, { group: "remediation.medik8s.io", plural: "nodehealthchecks" });
});
afterAll(async () => {
  await webhook[Symbol.asyncDispose]();
  await golden[Symbol.asyncDispose]();
});

const askByDryRun = () =>
  golden.world.server.request({
    method: "PATCH",
    path: `${check}?dryRun=All`,
    body: { metadata: { labels: { asked: "yes" } } },
  });

test("where a webhook refuses dry runs a drift is corrected all the same, on the version that was seen", async () => {
  await golden.until(async () => expect((await askByDryRun()).status).toBe(400)); // it is in force a moment later
  const from = golden.requests(check).length;
  await golden.edit(check, { spec: { minHealthy: "10%" } });
  const { resourceVersion } = (await golden.read(check)).metadata;
  await golden.until(async () => expect(at(await golden.read(check), "spec", "minHealthy")).toBe("51%"));
  const requests = () => golden.requests(check).slice(from);
  await expect.poll(() => requests().map(({ responseStatus }) => responseStatus?.code)).toEqual([400, 200]);
  const [asked, written] = requests();
  expect(asked?.requestURI).toContain("dryRun=All");
  expect(at(written?.requestObject as Json | undefined, "metadata", "resourceVersion")).toBe(resourceVersion);
});
