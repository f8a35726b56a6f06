import { type KubeObject, managedByLabel } from "@virt/api";
import { type Assessment, assessed, type DisruptionPolicies, notAssessed } from "@virt/impact";
import { equalJson } from "@virt/objects";
import { describe, expect, test } from "vitest";
import { type ComparedItem, composeDraft } from "./compose-draft.ts";
import { planHash } from "./hashes.ts";
import { plannedItems } from "./plan.ts";
import type { DryRunResult } from "./profile.ts";
import {
  type FactsOverrides,
  itemNamed,
  kernelObject,
  reconcileFacts,
  storedObject,
  workerPoolObject,
} from "./testing/facts-fixtures.ts";
import { now, secondsAgo } from "./testing/observed-fixtures.ts";
import { mapTarget } from "./testing/small-profile.ts";
import { stamp } from "./times.ts";

const settings = storedObject(mapTarget, { data: { size: "s-5" } });

/** Composes a draft, as if the API server added no defaults. */
function draft(
  given: FactsOverrides = {},
  change: Partial<ComparedItem> = {},
  policies?: Assessment<DisruptionPolicies>,
) {
  const facts = reconcileFacts(given);
  const compared = plannedItems(facts).map((planned): ComparedItem => {
    const live = facts.live(planned.target);
    if (planned.operation === "Delete") return { planned, live, conflicts: [] };
    const predicted = { ...live, ...planned.desired, metadata: { ...live?.metadata, ...planned.desired.metadata } };
    return { planned, live, predicted, conflicts: [], ...change };
  });
  return composeDraft(facts, compared, policies);
}

const noKernel = { spec: { options: { small: { kernel: false } } } };

describe("the impact", () => {
  test("of an item depends on whether it creates, changes or keeps the object", () => {
    const impacts = (given: FactsOverrides) => draft(given).items.map(({ impactSeverity }) => impactSeverity);
    expect(impacts({})).toEqual(["High", "Medium"]);
    expect(impacts({ objects: [kernelObject("b=2"), storedObject(mapTarget, { data: { size: "l" } })] })).toEqual([
      "High",
      "Low",
    ]);
    expect(impacts({ objects: [kernelObject(), settings] })).toEqual(["Low", "Low"]);
  });

  test("of a change can depend on the result of the dry run", () => {
    const facts = reconcileFacts({ objects: [kernelObject(), storedObject(mapTarget, { data: { size: "l" } })] });
    const impactTo = (size: string) => {
      const compared = plannedItems(facts).flatMap((one): ComparedItem[] => {
        if (one.operation === "Delete" || one.name !== "settings") return [];
        const planned = { ...one, changeImpact: ({ predicted }: DryRunResult) => impactOf(predicted) };
        return [
          {
            planned,
            live: facts.live(one.target),
            predicted: storedObject(mapTarget, { data: { size } }),
            conflicts: [],
          },
        ];
      });
      return composeDraft(facts, compared).items[0]?.impactSeverity;
    };
    const impactOf = (object: KubeObject) => (equalJson(object["data"] ?? null, { size: "xl" }) ? "High" : "Medium");
    expect([impactTo("xl"), impactTo("s")]).toEqual(["High", "Medium"]);
  });

  test("of a plan is that of its worst item", () => {
    expect(draft().impact).toBe("High");
    expect(draft({ objects: [kernelObject()] }).impact).toBe("Medium");
    expect(draft({ objects: [kernelObject(), settings] }).impact).toBe("Low");
  });
});

test("items that depend on nodes warn that nodes cannot be read", () => {
  const facts = reconcileFacts({});
  const planned = plannedItems(facts);
  const compared = planned.map((one): ComparedItem => ({ planned: one, live: undefined, conflicts: [] }));
  const { items } = composeDraft({ ...facts, nodesRefusal: "403: nodes is forbidden" }, compared);
  const remedy = "Next: allow the operator's ClusterRole to list and watch nodes.";
  expect(items.map(({ warnings = [] }) => warnings.at(-1))).toEqual([
    `The operator cannot read nodes (403: nodes is forbidden). The plan assumes that VMs run on worker nodes. ${remedy}`,
    `This item waits until the operator can read nodes (403: nodes is forbidden). ${remedy}`,
  ]);
  expect(composeDraft(facts, compared).items.flatMap(({ warnings = [] }) => warnings)).not.toContain(remedy);
});

describe("the disruption of a plan", () => {
  const infra = { ...workerPoolObject("rendered-1"), metadata: { name: "infra" } };
  const selects = { machineConfigSelector: { matchLabels: { "machineconfiguration.openshift.io/role": "worker" } } };
  const pools = [workerPoolObject("rendered-1"), { ...infra, spec: selects }];

  test("names each pool that takes the MachineConfig, and is hashed", () => {
    const alone = draft({ pools: [workerPoolObject("rendered-1")] });
    const both = draft({ pools });
    expect(alone.disruption).toEqual([{ pool: "worker", class: "Reboot" }]);
    expect(both.disruption).toEqual([
      { pool: "infra", class: "Reboot" },
      { pool: "worker", class: "Reboot" },
    ]);
    const { spec } = reconcileFacts().config;
    expect(planHash(spec, both.items)).toBe(planHash(spec, alone.items));
    expect(both.planHash).not.toBe(alone.planHash);
  });

  test("is the same for a removal", () => {
    const { disruption, items } = draft({ ...noKernel, pools, objects: [kernelObject()] });
    expect(disruption.map(({ pool }) => pool)).toEqual(["infra", "worker"]);
    expect(itemNamed(items, "no-kernel")?.impactSeverity).toBe("High");
  });

  test("covers both pools of a MachineConfig that moves between them", () => {
    const roleLabel = "machineconfiguration.openshift.io/role";
    const master = { ...workerPoolObject("rendered-1"), metadata: { name: "master" } };
    const selectsMaster = { machineConfigSelector: { matchLabels: { [roleLabel]: "master" } } };
    const moved = kernelObject();
    const labelled = { ...moved, metadata: { ...moved.metadata, labels: { [roleLabel]: "master" } } };
    const given = { pools: [...pools, { ...master, spec: selectsMaster }], objects: [labelled, settings] };
    const { disruption, items } = draft(given);
    expect(disruption).toEqual([
      { pool: "infra", class: "Reboot" },
      { pool: "master", class: "Reboot" },
      { pool: "worker", class: "Reboot" },
    ]);
    expect(items[0]).toMatchObject({ changes: true, impactSeverity: "High" });
  });

  test("is stored and hashed for at most sixteen pools", () => {
    const many = Array.from({ length: 20 }, (_, at) => ({
      ...infra,
      metadata: { name: `pool-${String(at).padStart(2, "0")}` },
      spec: selects,
    }));
    const whole = draft({ pools: many });
    expect(whole.disruption.length).toBe(16);
    expect(whole.planHash).toBe(draft({ pools: many.slice(0, 16) }).planHash);
  });

  test("is empty if no MachineConfig changes", () => {
    expect(draft({ pools, objects: [kernelObject()] })).toMatchObject({ disruption: [], writes: [] });
  });

  test("and the impact follow the policies for files and units", () => {
    const unit = { metadata: { name: "99-small", labels: { "machineconfiguration.openshift.io/role": "worker" } } };
    const config = { systemd: { units: [{ name: "swap.service", contents: "a" }] } };
    const predicted = { ...kernelObject(), ...unit, spec: { config } } as KubeObject;
    const withUnit = (action: string) => {
      const units = new Map([["swap.service", action]]) as DisruptionPolicies["units"];
      return draft({ pools: [] }, { predicted }, assessed({ files: new Map(), units, sshKeys: undefined }));
    };
    expect(withUnit("Reload").disruption).toEqual([{ pool: "worker", class: "Reload" }]);
    expect(withUnit("Reload").items[0]?.impactSeverity).toBe("Medium");
    expect(withUnit("Drain").items[0]?.impactSeverity).toBe("High");
    expect(withUnit("None")).toMatchObject({ disruption: [], items: [{ impactSeverity: "Low" }, {}] });
    const unread = draft({ pools: [] }, { predicted }, notAssessed("Forbidden"));
    expect(unread.disruption).toEqual([{ pool: "worker", class: "Reboot" }]);
  });
});

test("creations, changes and unchanged objects have different diffs", () => {
  const diffs = (given: FactsOverrides) => draft(given).items.map(({ diff }) => diff.split("\n").slice(0, 3).join("|"));
  expect(diffs({})[1]).toBe("--- /dev/null|+++ settings (ConfigMap)|@@ -0,0 +1,7 @@");
  expect(diffs({ objects: [storedObject(mapTarget, { data: { size: "l" } })] })[1]).toMatch(
    /^--- settings \(ConfigMap\)\|\+\+\+ settings \(ConfigMap\)\|@@ /,
  );
  expect(diffs({ objects: [settings] })[1]).toBe("--- settings (ConfigMap)|+++ settings (ConfigMap)|(no changes)");
});

test("all items are pending, with the reviewed target and without a time", () => {
  const item = itemNamed(draft({ objects: [settings] }).items, "settings");
  expect(item).toMatchObject({
    state: "Pending",
    message: "ConfigMap 'settings' is already in place",
    changes: false,
    waitsFor: "kernel",
    reviewed: { uid: "uid of settings", resourceVersion: "7", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(item).not.toHaveProperty("lastTransitionTime");
  expect(itemNamed(draft().items, "settings").message).toBe("will be configured");
  expect(itemNamed(draft().items, "settings").reviewed).toMatchObject({ uid: "", resourceVersion: "" });
});

test("lists the conflicts that an apply would overwrite", () => {
  const conflicts = [{ field: "data.size", manager: "kubectl", operation: "Update" }] as const;
  expect(draft({}, { conflicts }).items[0]?.conflicts).toEqual(conflicts);
  expect(draft().items[0]).not.toHaveProperty("conflicts");
});

describe("a removal", () => {
  test("of our own object is a deletion without desired state", () => {
    const item = itemNamed(draft({ ...noKernel, objects: [kernelObject()] }).items, "no-kernel");
    expect(item).toMatchObject({ operation: "Delete", impactSeverity: "High", changes: true, waitsFor: "settings" });
    expect(item.diff).toMatch(/^--- 99-small \(MachineConfig\)\n\+\+\+ \/dev\/null\n/);
    expect(item).not.toHaveProperty("desiredState");
  });

  test("is not planned if the object does not exist", () => {
    expect(draft(noKernel).items.map(({ name, warnings }) => [name, warnings])).toEqual([["settings", undefined]]);
  });

  test("of another client's object is not planned, and the first item warns", () => {
    const { items } = draft({ ...noKernel, objects: [kernelObject("a=1", "kubectl")] });
    expect(items.map(({ name, warnings }) => [name, warnings])).toEqual([
      ["settings", ["MachineConfig '99-small' was not created by virt-advisor-operator-small and is left in place"]],
    ]);
  });
});

test("a release is a change as long as the advisor owns fields, even if no value changes", () => {
  const facts = reconcileFacts({ objects: [settings], ...noKernel });
  const [first] = plannedItems(facts).filter(({ operation }) => operation === "Apply");
  const owned = { manager: "virt-advisor-operator", operation: "Apply", fieldsV1: { "f:data": { "f:size": {} } } };
  const live = { ...settings, metadata: { ...settings.metadata, managedFields: [owned] } };
  const changesOf = (isRelease: boolean, before: KubeObject) => {
    const planned = { ...first, isRelease } as ComparedItem["planned"];
    return composeDraft(facts, [{ planned, live: before, predicted: settings, conflicts: [] }]).items[0]?.changes;
  };
  expect(changesOf(true, live)).toBe(true);
  expect(changesOf(false, live)).toBe(false);
  expect(changesOf(true, settings)).toBe(false);
});

test("warns about an object that the platform controller manages", () => {
  const labels = { [managedByLabel.key]: managedByLabel.value };
  const managed = { ...settings, metadata: { ...settings.metadata, labels } };
  expect(itemNamed(draft({ objects: [managed] }).items, "settings").warnings).toEqual([
    "ConfigMap 'settings' is managed by virt-platform-operator, which releases it when this plan is approved",
  ]);
});

test("stores the inputs that were used beside the applied ones", () => {
  const status = { inputs: [{ name: "limit", used: "3", applied: "4" }] };
  expect(draft({ status }).inputs).toEqual([{ name: "limit", used: "5", applied: "4" }]);
  expect(draft().inputs).toEqual([{ name: "limit", used: "5" }]);
});

describe("rollouts", () => {
  test("are followed for unchanged items only", () => {
    const done = { kernel: { state: "done", message: "MachineConfigPool 'worker' is ready (all 3 nodes updated)" } };
    expect(draft({ objects: [kernelObject()] }).rollouts).toMatchObject(done);
    expect(draft().rollouts).toEqual({});
    expect(draft({ pools: [workerPoolObject("rendered-7")] }).pools).toMatchObject({
      kernel: [{ pool: "worker", configuration: "rendered-7" }],
    });
  });

  const rollout = { startTime: secondsAgo(900), before: [] };
  const [planned] = draft({ objects: [kernelObject()] }).items;
  const kept = (given: object) => {
    const status = { items: planned === undefined ? [] : [{ ...planned, rollout, ...given }] };
    return itemNamed(draft({ status, objects: [kernelObject()] }).items, "kernel").rollout;
  };

  test("keeps the start of a waiting item that now changes nothing", () => {
    expect(kept({ state: "InProgress" })).toEqual(rollout);
  });

  test("keeps that start in later drafts", () => {
    expect(kept({ state: "Pending", changes: false })).toEqual(rollout);
  });

  test("drops the start of a completed or changing item", () => {
    expect(kept({ state: "Completed", appliedTime: stamp(now) })).toBeUndefined();
    expect(kept({ state: "Pending", changes: true })).toBeUndefined();
  });
});
