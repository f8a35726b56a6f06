// Two replicas of different releases during a rolling update: the leader is killed in the middle of a plan.
// @module-tag thorough

import { conditionOf } from "@virt/advisor";
import { at } from "@virt/objects";
import type { AuditEvent } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { findFaults, type LeaseObject, type LeaseOf, type LeaseWrite } from "../integration/operator/lease-history.ts";
import { accountName, operatorAccount } from "../support/account.ts";
import {
  edit,
  higherDensity,
  paths,
  printRequestsOnFailure,
  readAt,
  removeAt,
  runNextCommands,
  untilPoolRests,
} from "../support/advisor.ts";
import { present, previous, type Release } from "../support/install/releases.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const leases: readonly LeaseOf[] = [
  { controller: "advisor", name: "8f83cc6e.kubevirt.io" },
  { controller: "platform", name: "virt-platform-operator.kubevirt.io" },
];
const leasePath = ({ controller, name }: LeaseOf) =>
  `/apis/coordination.k8s.io/v1/namespaces/virt-${controller}-operator-system/leases/${name}`;
const service = "/api/v1/namespaces/virt-platform-operator-system/services/virt-platform-operator-metrics";
const swap = "90-worker-kubelet-swap";
let testCluster: TestCluster;
let platformAccount: { readonly kubeconfig: string };
const thefts: LeaseWrite[] = [];

beforeAll(async () => {
  testCluster = await startTestCluster({ release: previous.folder });
  platformAccount = await operatorAccount(testCluster.server, "platform", previous.folder);
  await testCluster.simulate("three-workers", 10_000);
  const annotations = { "platform.kubevirt.io/virt-platform-operator": "metrics-service" };
  await edit(testCluster.server, paths.hco, { metadata: { annotations } });
  // As in a rolling update, the manifests are applied before the first new pod starts.
  await testCluster.install(present.folder);
  await operatorAccount(testCluster.server, "platform", present.folder);
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  const { configs, server } = testCluster;
  await Promise.all(replicas.splice(0).map(kill));
  for (const lease of leases) await releaseLease(lease);
  await configs.remove(higherDensity);
  await removeAt(server, service);
  await edit(server, paths.pool("worker"), { spec: { paused: false } });
  await removeAt(server, paths.swap);
  await edit(server, paths.hco, { spec: { higherWorkloadDensity: null, ksmConfiguration: null } });
  await untilPoolRests(server, swap, false);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const replicas: Replica[] = [];

type Replica = { readonly release: Release; readonly programs: readonly RunningProgram[] };

async function startReplica(release: Release): Promise<Replica> {
  const { folder } = release;
  const advisor = await testCluster.startOperator({
    release: folder,
    flags: ["--leader-elect", "--advertise-profiles=false"],
  });
  const flags = ["--controllers=platform", "--leader-elect", "--health-probe-bind-address=0"];
  const platform = startProgram(
    "virt-operator",
    [...flags, `--kubeconfig=${platformAccount.kubeconfig}`],
    [],
    release.folder,
  );
  const replica = { release, programs: [advisor, platform] };
  replicas.push(replica);
  return replica;
}

async function kill({ programs }: Replica): Promise<void> {
  await Promise.all(programs.map((program) => program.kill()));
}

const isBy =
  ({ version }: Release) =>
  ({ userAgent = "" }: AuditEvent): boolean =>
    userAgent.startsWith(`virt-operator/${version} `);

/** Waits until the replica has requested the lease. */
async function untilCandidate({ release }: Replica, since: string): Promise<void> {
  const isAsked = ({ controller, name }: LeaseOf) =>
    testCluster.server
      .audit()
      .some(
        (event) =>
          event.requestReceivedTimestamp > since &&
          event.user.username === accountName(controller) &&
          isBy(release)(event) &&
          (event.objectRef?.name === name || event.requestURI.includes(name)),
      );
  await expect.poll(() => leases.every(isAsked)).toBe(true);
}

const holderOf = async (lease: LeaseOf) =>
  ((await readAt(testCluster.server, leasePath(lease))) as unknown as LeaseObject | undefined)?.spec.holderIdentity;

/** Releases a dead holder's lease, so that the test does not wait for its expiry. */
async function releaseLease(lease: LeaseOf): Promise<void> {
  const atMs = Date.now();
  const answer = await testCluster.server.request({
    method: "PATCH",
    path: leasePath(lease),
    body: { spec: { holderIdentity: "" } },
  });
  expect(answer.status).toBe(200);
  thefts.push({ by: "a stranger", atMs, lease: answer.body as LeaseObject });
}

function writesTo(path: string, controller: LeaseOf["controller"], since: string): readonly string[] {
  return testCluster.server
    .audit()
    .filter(({ user, requestReceivedTimestamp: at }) => user.username === accountName(controller) && at > since)
    .filter(
      ({ verb, requestURI }) =>
        ["create", "patch", "update", "delete"].includes(verb) && requestURI.split("?")[0] === path,
    )
    .filter(
      ({ requestURI, responseStatus }) => !requestURI.includes("dryRun=All") && (responseStatus?.code ?? 500) < 300,
    )
    .map(({ verb, userAgent = "" }) => `${verb} by ${userAgent.split(" ")[0]}`);
}

const directions = [
  { name: "an old leader and a new standby", leader: previous, standby: present },
  { name: "a new leader and an old standby", leader: present, standby: previous },
] as const;

test.each(directions)(
  "$name: the standby finishes the plan and writes nothing twice",
  async ({ leader, standby }) => {
    const { configs, server } = testCluster;
    const since = new Date().toISOString();
    const first = await startReplica(leader);
    for (const lease of leases) await expect.poll(() => holderOf(lease)).toBeTruthy();
    const second = await startReplica(standby);
    await untilCandidate(second, since);
    await edit(server, paths.pool("worker"), { spec: { paused: true } });
    await configs.create(higherDensity, { action: "Apply" });
    await configs.until(higherDensity, ({ items = [] }) => items.some(({ message }) => /is paused/.test(message)));
    await expect.poll(async () => at(await readAt(server, service), "spec", "selector", "control-plane")).toBeDefined();

    await kill(first);
    await edit(server, `${service}?fieldManager=somebody`, { spec: { selector: { "control-plane": "changed" } } });
    for (const lease of leases) await releaseLease(lease);
    await expect
      .poll(async () => at(await readAt(server, service), "spec", "selector", "control-plane"))
      .toBe("controller-manager");
    await followPlan(standby);
    const by = ({ version }: Release) => `patch by virt-operator/${version}`;
    await expect.poll(() => writesTo(paths.swap, "advisor", since)).toEqual([by(leader)]);
    await expect.poll(() => writesTo(paths.hco, "advisor", since)).toEqual([by(standby)]);
    await expect
      .poll(() => writesTo(service, "platform", since).filter((write) => write === by(standby)))
      .toHaveLength(1);
    for (const lease of leases) expect(findFaults(server.audit(), lease, thefts)).toEqual([]);
  },
  360_000,
);

/** The present release requires a review of another version's unfinished plan. */
async function followPlan(release: Release): Promise<void> {
  const { configs, server } = testCluster;
  if (release === previous) {
    await edit(server, paths.pool("worker"), { spec: { paused: false } });
    await configs.until(higherDensity, "Completed");
    return;
  }
  const shown = await configs.until(higherDensity, "ReviewRequired");
  expect(shown.review).toMatchObject({ forced: true, reason: "OperatorUpgraded" });
  expect(conditionOf(shown, "ReviewRequired")?.message).toBe(
    `Plan ${shown.planHash?.slice(0, 12)} needs a new review: it was drafted by operator version ${release.version} and has not been approved since.`,
  );
  await edit(server, paths.pool("worker"), { spec: { paused: false } });
  await untilPoolRests(server, swap, true);
  expect((await configs.status(higherDensity)).phase).toBe("ReviewRequired");
  await runNextCommands(server, await configs.status(higherDensity));
  await configs.until(higherDensity, "Completed");
}
