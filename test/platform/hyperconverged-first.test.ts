import { at } from "@virt/objects";
import { expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { untilConverged } from "../support/full-cluster.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import { sharePlatform } from "../support/running-platform.ts";

const lease =
  "/apis/coordination.k8s.io/v1/namespaces/virt-platform-operator-system/leases/virt-platform-operator.kubevirt.io";
const platform = sharePlatform({ isProxied: true, until: "prepared" });

const renewTime = async () => at(await platform.read(lease), "spec", "renewTime");
const writes = () =>
  platform.proxy
    .trace()
    .filter(({ verb, isDryRun }) => ["apply", "patch", "create"].includes(verb) && !isDryRun)
    .map(({ path }) => path)
    .filter((path) => platform.targets.some((target) => target.path === path));

/** A lease renewal shows that the operator is running. */
async function untilRenewed(): Promise<void> {
  const before = await renewTime();
  await platform.until(async () => expect(await renewTime()).not.toEqual(before));
}

test("writes the HyperConverged before any other object", async () => {
  const { server, startOperator } = platform.testCluster;
  const trigger = {
    on: "request",
    number: 1,
    matching: { verb: "apply", resource: "hyperconvergeds", isDryRun: false },
  } as const;
  const isHeld = platform.proxy.arm({ name: "the HyperConverged", trigger, fault: { kind: "hold-request" } });
  const kubeconfig = platform.proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  await startOperator({ flags: ["--activation=always", "--leader-elect"], kubeconfig });
  await platform.until(async () => expect(isHeld()).toBe(true));
  await untilRenewed();
  expect(writes()).toEqual([hcoPath]); // still blocked
  platform.proxy.disarm();
  await untilConverged(platform);
});
