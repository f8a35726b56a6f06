import { at } from "@virt/objects";
import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { hcoPath } from "../support/platform-cluster.ts";

const lease =
  "/apis/coordination.k8s.io/v1/namespaces/virt-platform-operator-system/leases/virt-platform-operator.kubevirt.io";
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

const renewTime = async () => at(await fullCluster.read(lease), "spec", "renewTime");
const writes = () =>
  proxy
    .trace()
    .filter(({ verb, isDryRun }) => ["apply", "patch", "create"].includes(verb) && !isDryRun)
    .map(({ path }) => path)
    .filter((path) => fullCluster.targets.some((target) => target.path === path));

/** A lease renewal shows that the operator is running. */
async function untilRenewed(): Promise<void> {
  const before = await renewTime();
  await fullCluster.until(async () => expect(await renewTime()).not.toEqual(before));
}

test("writes the HyperConverged before any other object", async () => {
  const { server, startOperator } = fullCluster.testCluster;
  const trigger = {
    on: "request",
    number: 1,
    matching: { verb: "apply", resource: "hyperconvergeds", isDryRun: false },
  } as const;
  const isHeld = proxy.arm({ name: "the HyperConverged", trigger, fault: { kind: "hold-request" } });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  await startOperator({ flags: ["--activation=always", "--leader-elect"], kubeconfig });
  await fullCluster.until(async () => expect(isHeld()).toBe(true));
  await untilRenewed();
  expect(writes()).toEqual([hcoPath]); // still blocked
  proxy.disarm();
  await untilConverged(fullCluster);
});
