import type { Item, KubeObject, Status } from "@virt/api";
import { assessImpact, notAssessed } from "@virt/impact";
import { clusterFacts, namesOf, vmObject, vmsOn, workers } from "@virt/impact/testing/cluster-builder";
import { Registry } from "@virt/kube";
import { expect, test } from "vitest";
import { configGauges } from "./metrics.ts";
import { configWith } from "./testing/config-with.ts";

const worker: KubeObject = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "worker" },
  status: { machineCount: 12, updatedMachineCount: 4, readyMachineCount: 4, degradedMachineCount: 1 },
};

async function scraped(status: Status, missing: readonly string[] = []): Promise<readonly string[]> {
  const registry = new Registry();
  const shown = { configs: () => [configWith(status)], pools: () => [worker], missing: () => missing };
  configGauges(registry, "test_", shown);
  return (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

const item = (state: Item["state"]) =>
  ({
    name: "enable-psi-metrics",
    state,
    rollout: { startTime: "2030-01-01T00:00:00Z", before: [{ pool: "worker", configuration: "rendered-1" }] },
  }) as unknown as Item;

test("an ignored config has only the phase metric", async () => {
  expect(await scraped({ phase: "Ignored", impactSeverity: "High", planHash: "abc" })).toEqual([
    'test_config_phase{name="load-aware-rebalancing",profile="load-aware-rebalancing",phase="Ignored"} 1',
  ]);
});

test("a plan has metrics for impact, hash, item states and pending review", async () => {
  const review = { planHash: "abc", generation: 1, forced: true, reason: "InputChanged" } as const;
  const lines = await scraped({
    phase: "ReviewRequired",
    impactSeverity: "High",
    planHash: "abc",
    review,
    items: [item("Pending"), { ...item("Pending"), name: "other" }],
  });
  expect(lines).toEqual(
    expect.arrayContaining([
      'test_config_impact{name="load-aware-rebalancing"} 3',
      'test_plan_info{name="load-aware-rebalancing",hash="abc"} 1',
      'test_plan_items{name="load-aware-rebalancing",state="Pending"} 2',
      'test_config_review_forced{name="load-aware-rebalancing"} 1',
      'test_config_drifted{name="load-aware-rebalancing"} 0',
    ]),
  );
});

test("counts machines only while an item rolls out to their pool", async () => {
  const machinesOf = async (status: Status) =>
    (await scraped(status))
      .filter((line) => line.startsWith("test_rollout_machines"))
      .map((line) => /state="(\w+)"} (\d+)/.exec(line)?.slice(1));
  const rolling: Status = { phase: "InProgress", items: [item("InProgress")] };
  const pool = { name: "worker", total: 12, done: 3, inHand: 1, waiting: 7, degraded: 1 };
  const rollout = { summary: "", pools: [pool], nodes: [], findings: [], more: { pools: 0, nodes: 0, findings: 0 } };
  expect(await machinesOf({ ...rolling, rollout })).toEqual([
    ["total", "12"],
    ["updated", "3"],
    ["ready", "3"],
    ["degraded", "1"],
  ]);
  // The counts in the pool's status may belong to an earlier rendered config.
  expect(await machinesOf(rolling)).toEqual([
    ["total", "12"],
    ["degraded", "1"],
  ]);
  const done = await scraped({ phase: "Completed", items: [item("Completed")] });
  expect(done.filter((line) => line.startsWith("test_rollout_machines"))).toEqual([]);
});

test("exports the predicted impact until the plan completes", async () => {
  const nodes = workers(3, "worker-", { memory: "100Gi" });
  const blocked = vmObject("db", "worker-0", { isMigratable: false });
  const facts = clusterFacts({ nodes, vms: [...vmsOn(namesOf(nodes), 2, { gib: 40, vcpus: 4 }), blocked] });
  const linesOf = async (status: Status) =>
    (await scraped(status))
      .filter((line) => line.startsWith("test_impact_"))
      .map((line) => line.replace('name="load-aware-rebalancing"', "").replace("{,", "{"));
  const impact = assessImpact(facts);
  expect(await linesOf({ phase: "ReviewRequired", impact })).toEqual([
    'test_impact_nodes{pool="worker",class="Reboot"} 3',
    'test_impact_vms{outcome="migrate"} 6',
    'test_impact_vms{outcome="block"} 1',
    'test_impact_vms{outcome="stop"} 0',
    'test_impact_vms{outcome="restart"} 0',
    'test_impact_vms{outcome="external"} 0',
    'test_impact_vms{outcome="starting"} 0',
    'test_impact_vms{outcome="unknown"} 0',
    `test_impact_duration_seconds{bound="low"} ${impact.duration?.lowSeconds}`,
    `test_impact_duration_seconds{bound="high"} ${impact.duration?.highSeconds}`,
    "test_impact_capacity{} 0",
  ]);
  const blind = assessImpact({ ...facts, vms: notAssessed("Forbidden") });
  const unknown = await linesOf({ phase: "InProgress", impact: blind });
  expect(unknown.filter((line) => line.startsWith("test_impact_vms"))).toEqual([]);
  expect(unknown.at(-1)).toBe("test_impact_capacity{} -1");
  expect(await linesOf({ phase: "Completed", impact })).toEqual([]);
});

test("exports one series per missing kind", async () => {
  const lines = await scraped({ phase: "PrerequisiteFailed" }, ["KubeDescheduler", "MachineConfig"]);
  expect(lines.filter((line) => line.startsWith("test_missing_prerequisites"))).toEqual([
    'test_missing_prerequisites{name="load-aware-rebalancing",kind="KubeDescheduler"} 1',
    'test_missing_prerequisites{name="load-aware-rebalancing",kind="MachineConfig"} 1',
  ]);
});

test("counts all nodes of a large pool, unlisted ones separately", async () => {
  const since = "2030-01-01T00:00:00Z";
  const node = (index: number) => ({ name: `w-${index}`, pool: "worker", phase: "Draining", since }) as const;
  const rollout = {
    summary: "",
    pools: [{ name: "worker", total: 500, done: 100, inHand: 50, waiting: 349, degraded: 1 }],
    nodes: Array.from({ length: 20 }, (_, index) => node(index)),
    findings: [],
    more: { pools: 0, nodes: 31, findings: 0 },
  };
  const rollouts = [{ machineConfig: "99-psi", startTime: since, before: [] }];
  const lines = await scraped({ phase: "InProgress", rollout, rollouts });
  const counts = lines.flatMap((line) => /rollout_nodes\{.*phase="(\w+)"\} (\d+)/.exec(line)?.slice(1).join(" ") ?? []);
  expect(counts).toEqual([
    "Waiting 349",
    "Draining 20",
    "Applying 0",
    "Rebooting 0",
    "Uncordoning 0",
    "Unlisted 30",
    "Degraded 1",
    "Done 100",
  ]);
});
