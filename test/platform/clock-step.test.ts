import type { KubeObject } from "@virt/api";
import { at } from "@virt/objects";
import { inRepository } from "@virt/testkit";
import { expect, test, vi } from "vitest";
import { applyManifests } from "../support/account.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const service = "/api/v1/namespaces/virt-platform-operator-system/services/virt-platform-operator-metrics";
const hco = `\
apiVersion: hco.kubevirt.io/v1beta1
kind: HyperConverged
metadata: {name: kubevirt-hyperconverged, namespace: openshift-cnv}
spec: {}
`;

test("corrects drift without delay after the wall clock is set back", async () => {
  await using testCluster = await startTestCluster({ controller: "platform" });
  await applyManifests(testCluster.server, hco);
  const nodeFlags = [`--import=${inRepository("test", "support", "preloads", "stepped-clock.mjs")}`];
  const operator = await testCluster.startOperator({ flags: ["--activation=always"], nodeFlags });
  const selector = async () =>
    at((await testCluster.server.request({ path: service })).body as KubeObject, "spec", "selector");
  await vi.waitFor(async () => expect(await selector()).toBeDefined(), { timeout: 120_000, interval: 50 });
  const wanted = await selector();
  // Uses a new field manager each time, to avoid an edit war.
  const isCorrected = async (by: string) => {
    const path = `${service}?fieldManager=${by}`;
    await testCluster.server.request({ method: "PATCH", path, body: { spec: { selector: { [by]: "x" } } } });
    await vi.waitFor(async () => expect(await selector()).toEqual(wanted), { timeout: 120_000, interval: 50 });
  };
  await isCorrected("ann");
  process.kill(operator.pid, "SIGUSR2");
  await isCorrected("bob");
  await isCorrected("eve");
  // A log time in the past shows that the clock was set. Log lines can be late.
  const times = () => operator.log.map((line) => String(line["time"]));
  await expect.poll(() => times().some((time, at) => time < (times()[at - 1] ?? ""))).toBe(true);
}, 240_000);
