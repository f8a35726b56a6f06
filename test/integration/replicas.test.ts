// @module-tag thorough

import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { expect, test } from "vitest";
import { mockCrd } from "../support/test-cluster.ts";
import { unlimitedAccount } from "./operator/account.ts";
import {
  findFaults,
  type LeaseObject,
  type LeaseOf,
  type LeaseWrite,
  leaseWrites,
  writesUnder,
} from "./operator/lease-history.ts";
import { type Operator, startOperator } from "./operator/process.ts";

const namespace = "virt-advisor-operator-system";
const platformNamespace = "virt-platform-operator-system";
const leases: readonly LeaseOf[] = [
  { controller: "advisor", name: "8f83cc6e.kubevirt.io" },
  { controller: "platform", name: "virt-platform-operator.kubevirt.io" },
];
const namespaceOf = ({ controller }: LeaseOf) => (controller === "advisor" ? namespace : platformNamespace);
const pathOf = (lease: LeaseOf) => `/apis/coordination.k8s.io/v1/namespaces/${namespaceOf(lease)}/leases/${lease.name}`;
const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
const service = `/api/v1/namespaces/${platformNamespace}/services/virt-platform-operator-metrics`;
/** Longer than a leader takes to attempt its next renewal. */
const theftSeconds = 3;

async function furnish(api: Server): Promise<void> {
  const ownCrd = inRepository("config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml");
  await api.installCrds([ownCrd, mockCrd("hyperconvergeds-v1beta1")]);
  for (const name of ["openshift-cnv", platformNamespace])
    await api.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
  const hco = { apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged" };
  const path = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds";
  await api.request({
    method: "POST",
    path,
    body: { ...hco, metadata: { name: "kubevirt-hyperconverged" }, spec: {} },
  });
  const name = "load-aware-rebalancing";
  const config = { apiVersion: "advisor.kubevirt.io/v1alpha1", kind: "VirtPlatformConfig", metadata: { name } };
  const { status } = await api.request({ method: "POST", path: configs, body: { ...config, spec: { profile: name } } });
  expect(status).toBe(201);
}

/** Edits with a new field manager each time, to avoid an edit war, and changes a config that the advisor answers. */
async function keepBusy(api: Server, signal: AbortSignal): Promise<void> {
  for (let edit = 0; !signal.aborted; edit++) {
    const selector = { spec: { selector: { vandal: `${edit}` } } };
    await api.request({ method: "PATCH", path: `${service}?fieldManager=vandal-${edit}`, body: selector });
    const action = edit % 2 === 0 ? "Ignore" : "DryRun";
    await api.request({ method: "PATCH", path: `${configs}/load-aware-rebalancing`, body: { spec: { action } } });
    await pause(100, undefined, { signal }).catch(() => undefined);
  }
}

const leaseAt = async (api: Server, lease: LeaseOf) =>
  (await api.request({ path: pathOf(lease) })).body as Partial<LeaseObject>;
const lastOf = ({ log }: Operator, { controller }: LeaseOf, ...words: readonly string[]) =>
  log.findLast((line) => line["controller"] === controller && words.includes(line.msg ?? ""));
const seenHolder = (replica: Operator, lease: LeaseOf) => lastOf(replica, lease, "lease holder changed")?.["by"];
const isLeading = (replica: Operator, lease: LeaseOf) =>
  lastOf(replica, lease, "became leader", "lost leadership")?.msg === "became leader";

async function startReplica(kubeconfig: string): Promise<Operator> {
  const replica = await startOperator(
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect",
    "--controllers=advisor,platform",
    "--activation=always",
  );
  for (const lease of leases) await expect.poll(() => seenHolder(replica, lease)).toBeTruthy();
  return replica;
}

async function untilLed(api: Server, lease: LeaseOf, replicas: readonly Operator[], after = -1): Promise<Operator> {
  const check = async () => {
    const { spec } = await leaseAt(api, lease);
    const isNew = (spec?.leaseTransitions ?? 0) > after;
    return replicas.find((each) => isNew && isLeading(each, lease) && seenHolder(each, lease) === spec?.holderIdentity);
  };
  await expect.poll(check, { interval: 100 }).toBeDefined();
  return (await check()) ?? untilLed(api, lease, replicas, after);
}

const countLosses = ({ log }: Operator, { controller }: LeaseOf) =>
  log.filter((line) => line["controller"] === controller && line.msg === "lost leadership").length;

/** Counts later losses only, because the replica may lead again. */
async function untilDeposed(leader: Operator, lease: LeaseOf, before: number): Promise<void> {
  await expect.poll(() => countLosses(leader, lease)).toBeGreaterThan(before);
}

type LeadershipLoss = {
  readonly api: Server;
  readonly lease: LeaseOf;
  readonly leader: Operator;
  readonly others: readonly Operator[];
};

async function stop({ leader }: LeadershipLoss): Promise<void> {
  leader.child.kill("SIGTERM");
  expect(await once(leader.child, "exit")).toEqual([0, null]);
}

async function kill({ leader }: LeadershipLoss): Promise<void> {
  leader.child.kill("SIGKILL");
  await once(leader.child, "exit");
}

async function rob({ api, lease, leader }: LeadershipLoss): Promise<LeaseWrite> {
  const stolen = { holderIdentity: "a stranger", leaseDurationSeconds: theftSeconds };
  const before = countLosses(leader, lease);
  const atMs = Date.now();
  const { body } = await api.request({ method: "PATCH", path: pathOf(lease), body: { spec: stolen } });
  await untilDeposed(leader, lease, before);
  return { by: "a stranger", atMs, lease: body as LeaseObject };
}

async function freeze({ api, lease, leader, others }: LeadershipLoss): Promise<void> {
  const before = countLosses(leader, lease);
  process.kill(leader.pid, "SIGSTOP");
  await untilLed(api, lease, others);
  process.kill(leader.pid, "SIGCONT");
  await untilDeposed(leader, lease, before);
}

type Lose = (loss: LeadershipLoss) => Promise<LeaseWrite | void>;
const losses: readonly Lose[] = [stop, rob, rob, kill, freeze, stop, rob, rob, kill, freeze];

test("ten lost leases never cause two leaders or a late write", {
  timeout: 600_000,
}, async () => {
  await using api = await startServer();
  await furnish(api);
  const { kubeconfig } = await unlimitedAccount(api, namespace);
  const over = new AbortController();
  const thefts: LeaseWrite[] = [];
  let replicas: readonly Operator[] = await Promise.all([startReplica(kubeconfig), startReplica(kubeconfig)]);
  const busy = keepBusy(api, over.signal);
  for (const [round, lose] of losses.entries()) {
    const lease = leases[round % leases.length] as LeaseOf;
    const leader = await untilLed(api, lease, replicas);
    const { spec } = await leaseAt(api, lease);
    const theft = await lose({ api, lease, leader, others: replicas.filter((each) => each !== leader) });
    if (theft !== undefined) thefts.push(theft);
    replicas = replicas.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    await untilLed(api, lease, replicas, spec?.leaseTransitions);
    if (replicas.length < 2) replicas = [...replicas, await startReplica(kubeconfig)];
  }
  over.abort();
  await busy;

  const audit = api.audit();
  for (const lease of leases) {
    expect(findFaults(audit, lease, thefts)).toEqual([]);
    expect(new Set(leaseWrites(audit, lease).map(({ by }) => by)).size).toBeGreaterThan(3);
    const writers = writesUnder(audit, lease).filter(({ objectRef }) => objectRef?.resource !== "leases");
    expect(new Set(writers.map(({ userAgent }) => userAgent)).size).toBeGreaterThan(1);
  }
  expect(replicas.map((each) => each.words())).toEqual(["", ""]);
});
