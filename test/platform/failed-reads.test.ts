import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";

let fullCluster: FullCluster;
let proxy: FaultProxy;
beforeAll(async () => {
  fullCluster = await startFullCluster();
  proxy = await startFaultProxy({ server: fullCluster.testCluster.server });
});
afterAll(async () => {
  await fullCluster[Symbol.asyncDispose]();
  await proxy.stop();
});

const definitions = "customresourcedefinitions";
const asked = () => proxy.trace().filter(({ verb, resource }) => verb === "get" && resource === definitions).length;

test("applies nothing while schemas are unreadable, and everything afterwards", async () => {
  const { server } = fullCluster.testCluster;
  proxy.arm({
    name: "no definitions",
    trigger: { on: "every", matching: { verb: "get", resource: definitions } },
    fault: { kind: "answer", status: 500 },
  });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  await fullCluster.testCluster.startOperator({ flags: ["--activation=always"], kubeconfig });
  await fullCluster.until(async () => expect(asked()).toBeGreaterThan(4));
  expect(
    fullCluster.targets.flatMap(({ path }) => fullCluster.requests(path)).filter(({ verb }) => verb === "patch"),
  ).toEqual([]);
  proxy.disarm();
  await untilConverged(fullCluster);
});
