// The cluster around a plan, as people and other controllers handle it: targets, pools, nodes, events, and who wrote what.

import type { KubeObject } from "@virt/api";
import { asList, asText, at } from "@virt/engine";
import type { Actor, AuditEvent, Server } from "@virt/testkit";
import { expect, type TestContext } from "vitest";

export const loadAware = "load-aware-rebalancing";
export const higherDensity = "virt-higher-density";

const machineConfiguration = "/apis/machineconfiguration.openshift.io/v1";

export const paths = {
  descheduler: "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster",
  hco: "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged",
  psi: `${machineConfiguration}/machineconfigs/99-worker-psi-karg`,
  swap: `${machineConfiguration}/machineconfigs/90-worker-kubelet-swap`,
  pool: (name: string) => `${machineConfiguration}/machineconfigpools/${name}`,
  node: (name: string) => `/api/v1/nodes/${name}`,
};

/** Undefined where it is not there. */
export async function readAt(actor: Actor, path: string): Promise<KubeObject | undefined> {
  const { status, body } = await actor.request({ path });
  return status === 200 ? (body as KubeObject) : undefined;
}

/** A merge patch, by whoever asks for it. */
export async function edit(actor: Actor, path: string, body: object): Promise<void> {
  const answer = await actor.request({ method: "PATCH", path, body });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
}

/** A fault of the simulator, such as `degrade`; null ends it. */
export function fault(actor: Actor, path: string, [name, value]: readonly [string, string | null]): Promise<void> {
  return edit(actor, path, { metadata: { annotations: { [`simulator.kubevirt.io/${name}`]: value } } });
}

/** Gone, if it was there. */
export async function removeAt(actor: Actor, path: string): Promise<void> {
  const { status, body } = await actor.request({ method: "DELETE", path });
  if (status >= 300 && status !== 404) throw new Error(JSON.stringify(body));
}

/** The pool runs what it aims at, and that has or has not this MachineConfig in it. */
export async function untilPoolRests(actor: Actor, machineConfig: string, isWanted: boolean): Promise<void> {
  const look = async () => {
    const pool = await readAt(actor, paths.pool("worker"));
    const sources = asList(at(pool, "spec", "configuration", "source")).map((source) => asText(at(source, "name")));
    const isThere = at(pool, "status", "configuration", "name") === at(pool, "spec", "configuration", "name");
    return isThere && sources.includes(machineConfig) === isWanted;
  };
  await expect.poll(look).toBe(true);
}

const own = "system:serviceaccount:virt-advisor-operator-system:";
const ownAffairs = ["virtplatformconfigs", "events", "leases"];

/** The time as the audit log has it. Its last lines may be on their way, so that a count of lines says nothing. */
export const rightNow = () => new Date().toISOString();

/** What the operator asked for since then, its watches and its lease apart. */
export function requestsOf(server: Server, since = ""): readonly AuditEvent[] {
  return server
    .audit()
    .filter(({ user, requestReceivedTimestamp }) => user.username.startsWith(own) && requestReceivedTimestamp > since)
    .filter(({ verb, objectRef }) => verb !== "watch" && objectRef?.resource !== "leases");
}

/** The targets that the operator wrote, in their order, dry runs apart. */
export function writesOf(server: Server): readonly string[] {
  return requestsOf(server)
    .filter(({ verb, requestURI }) => isWrite(verb) && !requestURI.includes("dryRun=All"))
    .filter(({ objectRef, responseStatus }) => !isOwnAffair(objectRef?.resource) && (responseStatus?.code ?? 0) < 300)
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ""}/${objectRef?.name ?? ""}`);
}

const isWrite = (verb: string) => ["create", "update", "patch", "delete"].includes(verb);
const isOwnAffair = (resource = "") => ownAffairs.includes(resource);

export type Told = { readonly type: string; readonly reason: string; readonly note: string };

/** The events about a config, the oldest first. */
export async function eventsAbout(actor: Actor, config: string): Promise<readonly Told[]> {
  const { body } = await actor.request({ path: "/apis/events.k8s.io/v1/namespaces/default/events" });
  const events = (body as { readonly items: readonly (Told & { regarding?: { name?: string }; eventTime?: string })[] })
    .items;
  return events
    .filter(({ regarding }) => regarding?.name === config)
    .toSorted((left, right) => ((left.eventTime ?? "") < (right.eventTime ?? "") ? -1 : 1));
}

export async function reasonsAbout(actor: Actor, config: string): Promise<readonly string[]> {
  return (await eventsAbout(actor, config)).map(({ reason }) => reason);
}

const shownRequests = 60;

/** For `afterEach`: shows what the operator asked for last, so that a failure need not be seen twice to be understood. */
export const tellOnFailure =
  (world: () => { readonly server: Server }) =>
  ({ task }: TestContext): void => {
    if (task.result?.state !== "fail") return;
    const lines = world()
      .server.audit()
      .filter(({ user }) => user.username.startsWith(own))
      .map(({ requestReceivedTimestamp, stage, verb, requestURI, responseStatus }) =>
        [requestReceivedTimestamp, stage, verb, requestURI.slice(0, 150), responseStatus?.code].join(" "),
      );
    process.stderr.write(`${task.name}\n${lines.slice(-shownRequests).join("\n")}\n`);
  };
