import type { DisruptionClass, KubeObject, Phase, Spec, Status } from "@virt/api";
import { expect, test } from "vitest";
import { otherPoolPlans, poolPlansOf, sharedPoolWarnings } from "./shared-pools.ts";
import { configObject, doneItem, observedWith, psi } from "./testing/observed-fixtures.ts";
import { transition } from "./transition.ts";

type ConfigOverrides = {
  readonly status?: Partial<Status>;
  readonly spec?: Partial<Spec>;
  readonly class?: DisruptionClass;
};

const config = (name: string, phase: Phase, given: ConfigOverrides = {}) => {
  const disruption = [{ pool: "worker", class: given.class ?? ("Reboot" as const) }];
  return configObject({ phase, items: [psi()], disruption, ...given.status }, given.spec, { name });
};
const plan = { config: "density", pool: "worker", isRunning: false, hasGuards: false };
const review = { disruption: [{ pool: "worker", class: "Reboot" as const }], hasGuards: false };

test("a plan counts in review and while its nodes reboot", () => {
  expect(poolPlansOf(config("density", "ReviewRequired"))).toEqual([plan]);
  expect(poolPlansOf(config("density", "InProgress"))).toEqual([{ ...plan, isRunning: true }]);
  const guarded = config("density", "ReviewRequired", { spec: { guards: { maxNodes: 3 } } });
  expect(poolPlansOf(guarded)).toEqual([{ ...plan, hasGuards: true }]);
  for (const other of [
    config("density", "Completed"),
    config("density", "ReviewRequired", { spec: { action: "Ignore" } }),
    config("density", "ReviewRequired", { class: "Drain" }),
    config("density", "InProgress", { status: { items: [doneItem(psi())] } }),
  ])
    expect(poolPlansOf(other)).toEqual([]);
});

test("ignores the config itself and plans for paused pools", () => {
  const configs = [config("density", "ReviewRequired"), config("load-aware", "ReviewRequired")];
  const pool = (paused: boolean): KubeObject => ({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name: "worker" },
    spec: { paused },
  });
  expect(otherPoolPlans("load-aware", configs, [pool(false)])).toEqual([plan]);
  expect(otherPoolPlans("load-aware", configs, [pool(true)])).toEqual([]);
});

test("the warning states the number of reboots and the next step", () => {
  expect(sharedPoolWarnings(review, [plan])).toEqual([
    "VirtPlatformConfig 'density' also changes MachineConfigPool 'worker'. If the plans run one after the other, nodes reboot twice. If you approve both plans together, only nodes that have already started reboot twice.",
  ]);
  expect(sharedPoolWarnings(review, [{ ...plan, isRunning: true }])).toEqual([
    "VirtPlatformConfig 'density' also changes MachineConfigPool 'worker', and its rollout is in progress. Nodes that have already started reboot twice. If you approve this plan now, all other nodes reboot only once for both plans.",
  ]);
  expect(sharedPoolWarnings({ ...review, hasGuards: true }, [plan])[0]).toMatch(
    /Approve the plan that has guards first\.$/,
  );
  expect(sharedPoolWarnings(review, [{ ...plan, pool: "infra" }])).toEqual([]);
  expect(sharedPoolWarnings({ hasGuards: false }, [plan])).toEqual([]);
});

test("warns about a plan in review only, and keeps its hash", () => {
  const stored = { disruption: review.disruption };
  const waiting = observedWith("ReviewRequired", { stored, spec: { action: "DryRun" } });
  const warned = transition({ ...waiting, otherPlans: [plan] }).status;
  expect(warned.warnings).toEqual(sharedPoolWarnings(review, [plan]));
  const { warnings: _shown, ...rest } = warned;
  expect(rest).toEqual(transition(waiting).status);
  const cleared = transition({ ...waiting, stored: { ...waiting.stored, ...warned } }).status;
  expect(cleared).not.toHaveProperty("warnings");
  const running = observedWith("InProgress", { stored });
  expect(transition({ ...running, otherPlans: [plan] }).status).not.toHaveProperty("warnings");
});
