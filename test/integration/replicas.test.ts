import { once } from "node:events";
import { type Server, startServer } from "@virt/testkit";
import { expect, test } from "vitest";
import { findFaults, type LeaseObject, type LeaseWrite, leaseWrites } from "./operator/lease-history.ts";
import { type Operator, startOperator } from "./operator/process.ts";

const namespace = "virt-advisor-operator-system";
const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/8f83cc6e.kubevirt.io`;
/** Longer than it takes a leader to try its next renewal and learn of it. */
const theftSeconds = 3;

/** The account that the operator has in a cluster, whose writes the audit log keeps with their bodies. */
async function accountOf(api: Server): Promise<string> {
  const { kubeconfig } = await api.serviceAccount(namespace, "virt-operator");
  const body = {
    metadata: { name: "virt-operator" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", namespace, name: "virt-operator" }],
  };
  await api.request({ method: "POST", path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", body });
  return kubeconfig;
}

const leaseOf = async (api: Server) => (await api.request({ path })).body as Partial<LeaseObject>;
const seenHolder = ({ log }: Operator) => log.findLast(({ msg }) => msg === "the lease is held")?.["by"];
const isLeading = ({ log }: Operator) =>
  log.findLast(({ msg }) => msg === "may write" || msg === "may not write")?.msg === "may write";

async function startReplica(kubeconfig: string): Promise<Operator> {
  const replica = await startOperator(`--kubeconfig=${kubeconfig}`, "--leader-elect", "--controllers=advisor");
  await expect.poll(() => seenHolder(replica)).toBeTruthy();
  return replica;
}

/** The one that leads by its own words and by those of the lease. */
async function untilLed(api: Server, replicas: readonly Operator[], after = -1): Promise<Operator> {
  const look = async () => {
    const { spec } = await leaseOf(api);
    const isNew = (spec?.leaseTransitions ?? 0) > after;
    return replicas.find((each) => isNew && isLeading(each) && seenHolder(each) === spec?.holderIdentity);
  };
  await expect.poll(look, { interval: 100 }).toBeDefined();
  return (await look()) ?? untilLed(api, replicas, after);
}

async function untilDeposed(leader: Operator): Promise<void> {
  await expect.poll(() => isLeading(leader)).toBe(false);
}

type Scene = { readonly api: Server; readonly leader: Operator; readonly others: readonly Operator[] };

async function stop({ leader }: Scene): Promise<void> {
  leader.child.kill("SIGTERM");
  expect(await once(leader.child, "exit")).toEqual([0, null]);
}

async function kill({ leader }: Scene): Promise<void> {
  leader.child.kill("SIGKILL");
  await once(leader.child, "exit");
}

async function rob({ api, leader }: Scene): Promise<LeaseWrite> {
  const stolen = { holderIdentity: "a stranger", leaseDurationSeconds: theftSeconds };
  const atMs = Date.now();
  const { body } = await api.request({ method: "PATCH", path, body: { spec: stolen } });
  await untilDeposed(leader);
  return { by: "a stranger", atMs, lease: body as LeaseObject };
}

async function freeze({ api, leader, others }: Scene): Promise<void> {
  process.kill(leader.pid, "SIGSTOP");
  await untilLed(api, others);
  process.kill(leader.pid, "SIGCONT");
  await untilDeposed(leader);
}

type Lose = (scene: Scene) => Promise<LeaseWrite | void>;
const losses: readonly Lose[] = [stop, rob, kill, stop, rob, freeze, stop, rob, kill, stop];

test("through ten losses of the lease two replicas never lead at once, and an old leader writes nothing more", {
  timeout: 300_000,
}, async () => {
  await using api = await startServer();
  const kubeconfig = await accountOf(api);
  const thefts: LeaseWrite[] = [];
  let replicas: readonly Operator[] = await Promise.all([startReplica(kubeconfig), startReplica(kubeconfig)]);
  for (const lose of losses) {
    const leader = await untilLed(api, replicas);
    const { spec } = await leaseOf(api);
    const theft = await lose({ api, leader, others: replicas.filter((each) => each !== leader) });
    if (theft !== undefined) thefts.push(theft);
    replicas = replicas.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    await untilLed(api, replicas, spec?.leaseTransitions);
    if (replicas.length < 2) replicas = [...replicas, await startReplica(kubeconfig)];
  }

  const audit = api.audit();
  expect(findFaults(audit, thefts)).toEqual([]);
  expect((await leaseOf(api)).spec?.leaseTransitions).toBe(losses.length);
  expect(new Set(leaseWrites(audit).map(({ by }) => by)).size).toBeGreaterThan(4);
  expect(replicas.map((each) => each.words())).toEqual(["", ""]);
});
