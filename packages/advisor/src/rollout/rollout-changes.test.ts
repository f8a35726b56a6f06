import type { Item, KubeObject, Status } from "@virt/api";
import { expect, test } from "vitest";
import { workerPoolObject } from "../testing/facts-fixtures.ts";
import {
  appliedItem,
  begunItem,
  configObject,
  doneItem,
  psi,
  removal,
  secondsAgo,
} from "../testing/observed-fixtures.ts";
import { rolloutChanges } from "./rollout-changes.ts";

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

const psiName = psi().targetRef.name;
const applied = appliedItem(psi());
const running = (item: Item): Status => ({ phase: "InProgress", items: [item], rollouts: [pending(psiName)] });

test("an applied item with a deleted target still rolls out", () => {
  expect(rolloutChanges(configObject(running(applied)), () => undefined, [])).toEqual([
    {
      machineConfig: psiName,
      operation: "Apply",
      pools: ["worker", "infra"],
      hasKubeletDropIn: false,
      isTargetGone: true,
      waiting: { config: "load-aware-rebalancing", item: "enable-psi-metrics" },
    },
  ]);
});

test.each<[string, Item, KubeObject | undefined | "unknown"]>([
  ["that is not confirmed", begunItem(psi()), undefined],
  ["of an unreadable object", applied, "unknown"],
  ["of an existing object", applied, machineConfig],
  ["of a deletion", appliedItem(removal()), undefined],
])("a write %s has no deleted target", (_why, item, live) => {
  const [change] = rolloutChanges(configObject(running(item)), () => live, []);
  expect(change).toMatchObject({ operation: item.operation });
  expect(change).not.toHaveProperty("isTargetGone");
});

test("a deletion whose target is back stays a deletion", () => {
  const [change] = rolloutChanges(configObject(running(appliedItem(removal()))), () => machineConfig, []);
  expect(change?.operation).toBe("Delete");
});

test("a deleted target of a completed item is not a rollout finding", () => {
  const [change] = rolloutChanges(configObject({ phase: "InProgress", items: [doneItem(psi())] }), () => undefined, []);
  expect(change?.isTargetGone).toBe(true);
  expect(change?.waiting).toBeUndefined();
});

test("a pool that still targets its earlier configuration has not rendered the change", () => {
  const pool = workerPoolObject("rendered-1", [psiName]);
  const [change] = rolloutChanges(
    configObject(running(applied)),
    () => applied.desiredState,
    [pool],
    () => undefined,
  );
  expect(change?.unrenderedPools).toEqual(["worker"]);
});

test("rolls out existing MachineConfigs and rolls back deleted ones", () => {
  const live = ({ name }: { readonly name: string }) => (name === "90-swap" ? machineConfig : undefined);
  expect(rolloutChanges(configObject({ rollouts: [pending("90-swap"), pending("91-gone")] }), live, [])).toEqual([
    { machineConfig: "90-swap", operation: "Apply", pools: ["worker", "infra"], hasKubeletDropIn: true },
    { machineConfig: "91-gone", operation: "Delete", pools: ["worker", "infra"], hasKubeletDropIn: false },
  ]);
});

test("includes completed items for pools that change again", () => {
  const item = psi({ state: "Completed" });
  const changes = rolloutChanges(
    configObject({ items: [item, psi({ name: "other", state: "Failed" })] }),
    () => item.desiredState,
    [],
  );
  expect(changes).toEqual([
    {
      machineConfig: "99-worker-psi-karg",
      operation: "Apply",
      pools: ["worker"],
      hasKubeletDropIn: false,
    },
  ]);
});
