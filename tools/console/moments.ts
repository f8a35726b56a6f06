// The moments of a simulated cluster for `make screenshots`: how to reach each one and which page to open.

import { configKind, type Status, type VirtPlatformConfig } from "@virt/api";
import type { Page } from "playwright-core";
import type { Simulated } from "../demo/steps.ts";

/** One moment of the journey. A page stays open for later moments without a fragment. */
export type Moment = {
  readonly name: string;
  readonly fragment?: string;
  readonly prepare?: () => Promise<unknown>;
  readonly act?: (page: Page) => Promise<unknown>;
};

const profile = "load-aware-rebalancing";
const configPath = `/apis/${configKind.apiVersion}/${configKind.plural}/${profile}`;
const hcoPath = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const workerPool = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker";
const descheduler =
  "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster";
const home = "virt-platform-operator-system";

export function momentsOf({ server }: Pick<Simulated, "server">): readonly Moment[] {
  const patch = (path: string, body: unknown) =>
    server.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
  const edit = (spec: Readonly<Record<string, unknown>>) => patch(configPath, { spec });
  const until = (isIt: (status: Status) => boolean) =>
    poll(async () => {
      const { body } = await server.request({ path: configPath });
      return isIt((body as VirtPlatformConfig).status ?? {});
    });
  const click = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();
  const rollout = `#/rollout/${profile}`;
  const plan = `#/plan/${profile}`;
  const review: readonly Moment[] = [
    { name: "overview-first", fragment: "#/", prepare: () => until(({ phase }) => phase === "Ignored") },
    { name: "plan-none", fragment: plan },
    { name: "drift-none", fragment: "#/drift" },
    { name: "rollout-none", fragment: rollout },
    { name: "assets-no-report", fragment: "#/assets" },
    {
      name: "plan-review",
      fragment: plan,
      prepare: async () => {
        await edit({ action: "DryRun" });
        await until(({ phase, impact }) => phase === "ReviewRequired" && impact !== undefined);
      },
    },
    { name: "plan-side-by-side", act: click("Side by side") },
    { name: "plan-approve", act: click(/^Approve plan/) },
    { name: "overview-review", fragment: "#/" },
    { name: "plan-unknown", fragment: "#/plan/no-such-profile" },
  ];
  const rolling: readonly Moment[] = [
    {
      name: "rollout-draining",
      fragment: rollout,
      prepare: async () => {
        await edit({ action: "Apply" });
        await until(({ rollout: now }) => (now?.nodes ?? []).some(({ phase }) => phase === "Draining"));
      },
    },
    {
      name: "rollout-stuck",
      fragment: rollout,
      prepare: () => until(({ rollout: now }) => (now?.findings ?? []).some((one) => one.severity === "blocking")),
    },
    { name: "overview-rollout", fragment: "#/" },
    { name: "activity", fragment: "#/activity" },
    {
      name: "rollout-completed",
      fragment: rollout,
      prepare: async () => {
        const annotations = { "simulator.kubevirt.io/unmigratable": null };
        await patch("/apis/kubevirt.io/v1/namespaces/vms/virtualmachineinstances/pinned-0", {
          metadata: { annotations },
        });
        await until(({ phase }) => phase === "Completed");
      },
    },
  ];
  const drifting: readonly Moment[] = [
    {
      name: "drift-found",
      fragment: "#/drift",
      prepare: async () => {
        await patch(`${descheduler}?fieldManager=somebody`, { spec: { deschedulingIntervalSeconds: 4321 } });
        await until(({ phase }) => phase === "Drifted");
      },
      act: (page) => page.getByText("4321").waitFor(),
    },
    {
      name: "drift-cleared",
      act: async (page) => {
        await patch(`${descheduler}?fieldManager=somebody`, { spec: { deschedulingIntervalSeconds: 60 } });
        await page.getByText("cleared").first().waitFor();
      },
    },
  ];
  const assets: readonly Moment[] = [
    {
      name: "assets",
      fragment: "#/assets",
      prepare: async () => {
        await server.request({ method: "POST", path: "/api/v1/namespaces", body: namespaceOf(home) });
        const spec = { liveMigrationConfig: { parallelMigrationsPerCluster: 7 } };
        await patch(`${hcoPath}?fieldManager=somebody`, { spec });
        const annotations = {
          "platform.kubevirt.io/virt-platform-operator": "hco-golden-config,prometheus-alerts,metallb-operator",
        };
        await patch(hcoPath, { metadata: { annotations } });
        const path = `/api/v1/namespaces/${home}/configmaps/virt-platform-operator-report`;
        await poll(async () => JSON.stringify((await server.request({ path })).body).includes("somebody"));
      },
      act: (page) => page.getByTestId("asset-hco-golden-config").waitFor(),
    },
    {
      name: "assets-details",
      act: async (page) => {
        await page.getByTestId("asset-hco-golden-config").getByRole("button").first().click();
        await page.getByText("This object has no overrides").or(page.getByTestId("overrides")).first().waitFor();
      },
    },
    { name: "assets-adopt", act: click("Adopt") },
    { name: "assets-excluded", fragment: "#/assets?state=Unmanaged" },
    { name: "assets-empty", fragment: "#/assets?filter=nothing-is-called-so" },
  ];
  const broken: readonly Moment[] = [
    {
      name: "rollout-paused-degraded",
      fragment: rollout,
      prepare: async () => {
        await patch(workerPool, { spec: { paused: true } });
        const annotations = { "simulator.kubevirt.io/degrade": "disk validation failed: content mismatch" };
        await patch("/api/v1/nodes/worker-1", { metadata: { annotations } });
        await poll(async () => JSON.stringify((await server.request({ path: workerPool })).body).includes("mismatch"));
      },
    },
    {
      name: "overview-silent",
      fragment: "#/",
      prepare: () => server.request({ method: "POST", path: leasesPath, body: oldLease }),
      act: (page) => page.getByText("The platform controller is not responding").waitFor(),
    },
    {
      name: "overview-not-installed",
      fragment: "#/",
      prepare: () =>
        server.request({
          method: "DELETE",
          path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${configKind.plural}.${configKind.group}`,
        }),
      act: (page) => page.getByText("The advisor is not installed here").waitFor(),
    },
  ];
  return [...review, ...rolling, ...drifting, ...assets, ...broken];
}

function namespaceOf(name: string) {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

const leasesPath = `/apis/coordination.k8s.io/v1/namespaces/${home}/leases`;
const oldLease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "virt-platform-operator.kubevirt.io" },
  spec: { holderIdentity: "gone", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" },
};

async function poll(isIt: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(240_000);
  while (!deadline.aborted) {
    if (await isIt()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the expected state was not reached");
}
