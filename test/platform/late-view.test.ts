import { objectAnnotations } from "@virt/platform";
import { expect, test } from "vitest";
import { createNetwork } from "../support/full-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { kubelet, check } = objectPaths;
const platform = sharePlatform({ isProxied: true });

/** Freezes the operator's view of a kind, starting with the operator's next apply. */
async function hideFromOperator(resource: string): Promise<void> {
  const fault = { kind: "treat-frames", of: { resource }, treatment: { do: "hold" } } as const;
  const matching = { verb: "apply", resource: "nodehealthchecks" } as const;
  const hasBegun = platform.proxy.arm({
    name: `hide ${resource}`,
    trigger: { on: "request", number: 1, matching },
    fault,
  });
  await platform.edit(check, { spec: { minHealthy: "10%" } });
  await platform.until(async () => expect(await platform.specOf(check, "minHealthy")).toBe("51%"));
  expect(hasBegun()).toBe(true);
}

const setting = (name: string) => platform.specOf(kubelet, "kubeletConfig", name);

test("keeps a released field's new value even if the operator's view is stale", async () => {
  await platform.until(async () => expect(await setting("maxPods")).toBe(500));
  const before = platform.requests(kubelet).length;
  await hideFromOperator("kubeletconfigs");
  const annotations = { [objectAnnotations.ignoreFields]: "/spec/kubeletConfig/nodeStatusMaxImages" };
  await platform.edit(kubelet, { metadata: { annotations }, spec: { kubeletConfig: { nodeStatusMaxImages: 42 } } });
  await createNetwork(platform, 24); // too few addresses for 500 pods
  await expect.poll(() => platform.requests(kubelet).length).toBeGreaterThan(before);
  platform.proxy.disarm();
  await platform.until(async () => expect(await setting("maxPods")).toBeUndefined());
  expect(await setting("nodeStatusMaxImages")).toBe(42);
});
