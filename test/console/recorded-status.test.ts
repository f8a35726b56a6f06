// Pages for statuses that a running cluster reaches late or only after a failure, without an operator.
// @module-tag thorough

import type { Status } from "@virt/api";
import {
  annotationPrefix as machineConfig,
  nodeObject,
  poolObject,
  workers,
} from "@virt/impact/testing/cluster-builder";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PlantedCluster } from "../support/planted-cluster.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { expectAccessible } from "./console-page.ts";
import { type OpenedConsole, openConsole } from "./open-console.ts";

const profile = "load-aware-rebalancing";
const past = "2026-01-01T00:00:00Z";
let cluster: TestCluster;
let opened: OpenedConsole;
let page: Page;
let open: OpenedConsole["open"];

beforeAll(async () => {
  cluster = await startTestCluster();
  const planted = new PlantedCluster(cluster.server);
  await planted.plant([...workers(3), poolObject("worker")]);
  await cluster.configs.create(profile);
  opened = await openConsole(cluster.server.kubeconfig);
  ({ page, open } = opened);
});
afterAll(async () => {
  await opened.end();
  await cluster[Symbol.asyncDispose]();
});

const record = (status: Status) => cluster.configs.record(profile, status);

const item: NonNullable<Status["items"]>[number] = {
  name: "enable-psi-metrics",
  operation: "Apply",
  targetRef: {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    name: "99-worker-psi-karg",
  },
  impactSeverity: "High",
  changes: true,
  state: "Pending",
  message: "",
  diff: "",
  desiredState: {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name: "99-worker-psi-karg" },
    spec: { kernelArguments: ["psi=1"] },
  },
};
const applied = { ...item, state: "Completed", appliedTime: past } as const;
const running = { ...item, state: "InProgress", appliedTime: past } as const;
const condition = (type: "Drifted" | "ReviewRequired" | "Stalled", reason: string, message = "") =>
  ({ type, status: "True", reason, message, lastTransitionTime: past }) as const;
const more = { pools: 0, nodes: 0, findings: 0 };
const pool = { name: "worker", total: 3, done: 3, inHand: 0, waiting: 0, degraded: 0 };
const done = { summary: "all 3 nodes updated", pools: [pool], nodes: [], findings: [], more };

test("shows the expected order until the plan writes something", async () => {
  await record({ phase: "Completed", items: [applied], rollout: done });
  await open(`rollout/${profile}`);
  await page.getByText("all 3 nodes updated").waitFor();
  await record({
    phase: "ReviewRequired",
    planHash: "a".repeat(64),
    items: [item],
    rollout: done,
    impact: {
      assessedAt: past,
      summary: "Reboots 3 nodes (worker pool, one at a time).",
      nodes: 3,
      held: 0,
      capacity: { fits: "Yes", nodes: [], unplacedVMs: 0, unplacedMiB: 0 },
      pools: [
        {
          name: "worker",
          class: "Reboot",
          nodes: 3,
          held: 0,
          atOnce: 1,
          waves: 3,
          order: ["worker-2", "worker-0", "worker-1"],
        },
      ],
      blockers: [],
      stops: [],
      more: { pools: 0, blockers: 0, stops: 0 },
      assumes: [],
      notAssessed: [],
    },
  });
  const expected = page.getByTestId("expected-order");
  await expected.getByText("This plan has not applied anything yet. No node has started to update.").waitFor();
  await expected.getByText("worker-2, worker-0, worker-1").waitFor();
  expect(await page.locator("#content").textContent()).not.toMatch(/nodes updated/u);
  expect(await page.getByTestId("pool-worker").count()).toBe(0);
  await expectAccessible(page, "a plan that has not started");
});

test("shows a rollout with a deleted target as Stuck, without updated nodes", async () => {
  const message = `MachineConfig 99-worker-psi-karg was deleted during its rollout. The nodes of pool worker are returning to the configuration without it. Plan again, or restore the MachineConfig with: kubectl get vpconf ${profile} -o jsonpath='{.status.items[0].desiredState}' | kubectl apply --server-side --field-manager=virt-advisor-operator -f -`;
  await record({
    phase: "InProgress",
    progress: "stuck: 0/3 nodes",
    items: [{ ...running, message }],
    rollouts: [
      {
        machineConfig: item.targetRef.name,
        startTime: past,
        before: [{ pool: "worker", configuration: "rendered-1" }],
      },
    ],
    rollout: {
      ...done,
      summary: "0 of 3 nodes of pool worker updated",
      pools: [{ ...pool, done: 0, waiting: 3, rendered: false }],
      findings: [
        {
          id: "TargetDeleted",
          severity: "blocking",
          message,
          command: `kubectl virt-advisor plan ${profile}`,
          since: past,
        },
      ],
    },
    conditions: [condition("Stalled", "RolloutStuck", message)],
  });
  await open(`rollout/${profile}`);
  await page.getByRole("heading", { name: "Pool worker: 0 of 3 nodes updated" }).waitFor();
  await page.getByText("Stuck", { exact: true }).first().waitFor();
  await page.getByTestId("findings").getByText(message).waitFor();
  expect(await page.getByText(/all 3 nodes updated|3 of 3/u).count()).toBe(0);
});

test("does not report an unblocked rollout with an unread input", async () => {
  const rolling = { ...done, summary: "1 of 3 nodes of pool worker done", pools: [{ ...pool, done: 1, waiting: 2 }] };
  const items = [running];
  const findings = page.getByTestId("findings");
  await record({ phase: "InProgress", items, rollout: rolling });
  await open(`rollout/${profile}`);
  await findings.getByText("Nothing is blocking this rollout.").waitFor();
  const gap = { what: "VirtualMachineInstance", reason: "Forbidden", message: "403 Forbidden" } as const;
  await record({ phase: "InProgress", items, rollout: { ...rolling, notAssessed: [gap] } });
  const text = "Found no blocking cause, but could not check: VirtualMachineInstance.";
  await findings.getByText(text).waitFor();
  await findings.getByText("VirtualMachineInstance: Forbidden (403 Forbidden)").waitFor();
  expect(await page.getByText("Nothing is blocking").count()).toBe(0);
  await expectAccessible(page, "a rollout with an unread input");
  await open("overview");
  await page.getByTestId(`profile-${profile}`).getByText(text).waitFor();
});

test("shows the options for a blocking VM, stopping it last", async () => {
  const finding = {
    id: "VMNotMigratable",
    severity: "blocking",
    object: { kind: "VirtualMachineInstance", namespace: "vms", name: "pinned-0" },
    message: "VM vms/pinned-0 blocks the drain",
    command: "virtctl stop pinned-0 -n vms",
    since: past,
  } as const;
  await record({
    phase: "InProgress",
    items: [running],
    rollout: { ...done, pools: [{ ...pool, done: 0, waiting: 3 }], findings: [finding] },
  });
  await open(`rollout/${profile}`);
  const options = page.getByTestId("findings").locator("ol > li");
  await expect.poll(() => options.count()).toBe(3);
  expect(await options.first().textContent()).toMatch(/^Make the VM live-migratable/u);
  expect(await options.last().textContent()).toMatch(
    /^Stop the VM.* down until you start it again\..*virtctl stop pinned-0 -n vms/u,
  );
});

test("lists VMs that stopped during a rollout with their start commands", async () => {
  const stoppedVms = { total: 2, listed: [{ namespace: "vms", name: "pinned-0" }] };
  await record({ phase: "Completed", items: [applied], rollout: { ...done, stoppedVms } });
  await open(`rollout/${profile}`);
  await page.getByText("2 VMs stopped during the rollout and were not running when it ended").waitFor();
  expect(await page.locator("#content").textContent()).toMatch(
    /vms\/pinned-0.*virtctl start pinned-0 -n vms.*and 1 more/u,
  );
});

test("shows drift of a completed item while the plan is in progress", async () => {
  const items = [applied, { ...item, name: "later", state: "InProgress" } as const];
  await record({ phase: "InProgress", items, conditions: [condition("Drifted", "DriftDetected")] });
  await open("drift");
  await expect.poll(() => page.getByTestId("drift").textContent()).toContain("99-worker-psi-karg");
});

test("sorts the drift table and shows the time of each age", async () => {
  const names = ["99-b", "99-a", "99-c"];
  const items = names.map((name) => ({ ...applied, name, targetRef: { ...item.targetRef, name } }));
  await record({ phase: "Drifted", items, conditions: [condition("Drifted", "DriftDetected")] });
  await open("drift");
  const objects = page.getByTestId("drift").locator("td[data-label=Object]");
  const shownNames = async () =>
    (await objects.allTextContents()).flatMap((text) => /99-[abc]$/u.exec(text.trim()) ?? []);
  const header = page.getByTestId("drift").getByRole("columnheader", { name: "Object" });
  await expect.poll(shownNames).toEqual(names);
  await header.getByRole("button").click();
  await expect.poll(shownNames).toEqual(["99-a", "99-b", "99-c"]);
  await header.getByRole("button").click();
  await expect.poll(shownNames).toEqual(["99-c", "99-b", "99-a"]);
  expect(await page.getByTestId("drift").locator("time").first().getAttribute("title")).toBe(past);
});

test("shows the time of each age of plans, items and findings", async () => {
  const conditions = [condition("ReviewRequired", "Drafted")];
  await record({ phase: "ReviewRequired", planHash: "a".repeat(64), items: [item], conditions });
  const titles = async (on: string) => {
    const times = page.locator(on).locator("time");
    await times.first().waitFor();
    return new Set(await times.evaluateAll((all) => all.map((each) => each.getAttribute("title"))));
  };
  await open("");
  expect(await titles(`[data-testid=profile-${profile}]`)).toEqual(new Set([past]));
  await open(`plan/${profile}`);
  expect(await titles("#content dl")).toEqual(new Set([past]));
  const finding = { id: "DrainSlow", severity: "blocking", message: "slow", since: past } as const;
  const rollout = { ...done, pools: [{ ...pool, done: 0, waiting: 3 }], findings: [finding] };
  await record({ phase: "InProgress", items: [{ ...item, state: "InProgress", lastTransitionTime: past }], rollout });
  await open(`rollout/${profile}`);
  expect(await titles("[data-testid=findings]")).toEqual(new Set([past]));
  expect(await titles("td[data-label=Elapsed]")).toEqual(new Set([past]));
});

test("names the options that stay set after ignoring a profile", async () => {
  await record({ phase: "InProgress", items: [applied], rollout: done });
  await cluster.configs.edit(profile, { options: { loadAware: { mode: "Predictive" } } });
  await open(`rollout/${profile}`);
  const content = page.locator("#content");
  await expect
    .poll(() => content.textContent())
    .toMatch(/These options stay set and apply to the next plan: .*mode="Predictive"\./u);
});

test("shows the command for a truncated diff on demand", async () => {
  const diff = "--- a (K)\n+++ a (K)\n@@ -1,1 +1,1 @@\n-old\n+new\n… 12 more lines: kubectl virt-advisor diff\n";
  await record({ phase: "ReviewRequired", planHash: "a".repeat(64), items: [{ ...item, diff }] });
  await open(`plan/${profile}`);
  const content = page.locator("#content");
  await page.getByText("12 more lines not shown. The command line shows the full diff.").waitFor();
  expect(await content.textContent()).not.toContain("kubectl virt-advisor diff");
  await page.getByRole("button", { name: "Show command" }).last().click();
  await page.getByText(`kubectl virt-advisor diff ${profile}`).waitFor();
});

test("shows 500 nodes as squares with a filter, active nodes first", async () => {
  const roles = ["worker", "large"];
  const updating = { [`${machineConfig}/currentConfig`]: "rendered-0", [`${machineConfig}/state`]: "Working" };
  const broken = { [`${machineConfig}/state`]: "Degraded", [`${machineConfig}/reason`]: "disk is full" };
  const special = [
    nodeObject("large-7", { roles, annotations: updating }),
    nodeObject("large-499", { roles, annotations: broken }),
  ];
  const names = new Set(special.map(({ metadata }) => metadata.name));
  const usual = workers(500, "large-", { roles }).filter(({ metadata }) => !names.has(metadata.name));
  await new PlantedCluster(cluster.server).plant([poolObject("large"), ...special, ...usual]);
  await record({ phase: "InProgress", items: [applied], rollout: { ...done, pools: [{ ...pool, name: "large" }] } });
  await open(`rollout/${profile}`);
  const section = page.getByTestId("pool-large");
  await expect.poll(() => section.getByRole("option").count()).toBe(500);
  const active = section.getByRole("list", { name: "Active nodes of pool large" }).getByRole("listitem");
  await expect.poll(() => active.count()).toBe(2);
  expect(await active.first().textContent()).toContain("large-499");
  expect(await section.evaluate((element) => element.getBoundingClientRect().height)).toBeLessThan(1800);
  await section.getByRole("listbox").focus();
  await page.keyboard.press("End");
  await section.getByRole("list", { name: "Selected node" }).getByText("disk is full").waitFor();
  await expectAccessible(page, "a pool of 500 nodes");
  await section.getByLabel("Filter nodes of pool large by name").fill("large-49");
  const tiles = section.getByRole("list", { name: "Nodes of pool large" }).getByRole("listitem");
  await expect.poll(() => tiles.count()).toBe(11);
});

test("the overview lists objects that a deleted config left behind", async () => {
  const { apiVersion, kind, name } = item.targetRef;
  await record({ phase: "Ignored", leftBehind: [{ apiVersion, kind, name, appliedTime: past }] });
  await open("");
  const leftBehind = page.getByTestId(`left-behind-${profile}`);
  await expect.poll(() => leftBehind.textContent()).toContain("99-worker-psi-karg");
});

test("warns that resuming a pool starts all its pending updates", async () => {
  const worker = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker";
  const pause = { method: "PATCH", path: worker, body: { spec: { paused: true } } } as const;
  expect((await cluster.server.request(pause)).status).toBe(200);
  await open(`rollout/${profile}`);
  const content = page.locator("#content");
  await expect.poll(() => content.textContent()).toContain("Resuming it starts all pending updates of the pool.");
});
