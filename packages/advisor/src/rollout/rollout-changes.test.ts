import type { KubeObject, Status, VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { psi, secondsAgo, spec } from "../testing/observed-fixtures.ts";
import { rolloutChanges } from "./rollout-changes.ts";

const config = (status: Status): VirtPlatformConfig => ({
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  metadata: { name: "load-aware-rebalancing" },
  spec: spec(),
  status,
});
const machineConfig: KubeObject = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "90-swap" },
  spec: { config: { storage: { files: [{ path: "/etc/openshift/kubelet.conf.d/90-swap.conf" }] } } },
};
const before = [
  { pool: "worker", configuration: "rendered-1" },
  { pool: "infra", configuration: "rendered-1" },
];
const pending = (name: string) => ({ machineConfig: name, startTime: secondsAgo(60), before });

test("what is there is rolled out to the pools that it concerned, what is gone is taken back from them", () => {
  const live = ({ name }: { readonly name: string }) => (name === "90-swap" ? machineConfig : undefined);
  expect(rolloutChanges(config({ rollouts: [pending("90-swap"), pending("91-gone")] }), live, [])).toEqual([
    { machineConfig: "90-swap", operation: "Apply", pools: ["worker", "infra"], hasKubeletDropIn: true },
    { machineConfig: "91-gone", operation: "Delete", pools: ["worker", "infra"], hasKubeletDropIn: false },
  ]);
});

test("what was rolled out before counts as well, for pools that change again", () => {
  const item = psi({ state: "Completed" });
  const changes = rolloutChanges(
    config({ items: [item, psi({ name: "other", state: "Failed" })] }),
    () => undefined,
    [],
  );
  expect(changes).toEqual([
    { machineConfig: "99-worker-psi-karg", operation: "Apply", pools: ["worker"], hasKubeletDropIn: false },
  ]);
});
