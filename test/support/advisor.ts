// Helpers for a plan's cluster: targets, pools, nodes, events and the audit log.

import { conditionOf } from "@virt/advisor";
import { configKind, type Json, type KubeObject, type Status } from "@virt/api";
import { asList, asText, at } from "@virt/objects";
import type { ApiUser, AuditEvent, Server } from "@virt/testkit";
import { expect, type TestContext } from "vitest";

export const loadAware = "load-aware-rebalancing";
export const higherDensity = "virt-higher-density";

const machineConfiguration = "/apis/machineconfiguration.openshift.io/v1";

const configs = `/apis/${configKind.apiVersion}/${configKind.plural}`;

export const paths = {
  descheduler: "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster",
  hco: "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged",
  psi: `${machineConfiguration}/machineconfigs/99-worker-psi-karg`,
  swap: `${machineConfiguration}/machineconfigs/90-worker-kubelet-swap`,
  pool: (name: string) => `${machineConfiguration}/machineconfigpools/${name}`,
  node: (name: string) => `/api/v1/nodes/${name}`,
  configs,
  config: (name: string) => `${configs}/${name}`,
};

/** Undefined if the object is absent. */
export async function readAt(actor: ApiUser, path: string): Promise<KubeObject | undefined> {
  const { status, body } = await actor.request({ path });
  return status === 200 ? (body as KubeObject) : undefined;
}

export async function edit(actor: ApiUser, path: string, body: object): Promise<void> {
  const answer = await actor.request({ method: "PATCH", path, body });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
}

/** Sets a fault of the simulator, such as `degrade`. Null ends it. */
export function fault(actor: ApiUser, path: string, [name, value]: readonly [string, string | null]): Promise<void> {
  return edit(actor, path, { metadata: { annotations: { [`simulator.kubevirt.io/${name}`]: value } } });
}

export async function removeAt(actor: ApiUser, path: string): Promise<void> {
  const { status, body } = await actor.request({ method: "DELETE", path });
  if (status >= 300 && status !== 404) throw new Error(JSON.stringify(body));
}

/**
 * Waits until the pool and each of its nodes run a config with, or without, this MachineConfig. The pool's status
 * alone is not sufficient, because it is the same if a rollout is reverted before its end.
 */
export async function untilPoolRests(actor: ApiUser, machineConfig: string, isWanted: boolean): Promise<void> {
  const check = async () => {
    const pool = await readAt(actor, paths.pool("worker"));
    const target = asText(at(pool, "spec", "configuration", "name")) ?? "";
    const sources = asList(at(pool, "spec", "configuration", "source")).map((source) => asText(at(source, "name")));
    const isThere = at(pool, "status", "configuration", "name") === target && (await areWorkersAt(actor, target));
    return isThere && sources.includes(machineConfig) === isWanted;
  };
  await expect.poll(check).toBe(true);
}

async function areWorkersAt(actor: ApiUser, config: string): Promise<boolean> {
  const { body } = await actor.request({ path: "/api/v1/nodes" });
  const nodes = asList(at(body as KubeObject, "items"));
  const note = (node: Json, name: string) =>
    asText(at(node, "metadata", "annotations", `machineconfiguration.openshift.io/${name}`)) ?? "";
  const workers = nodes.filter((node) => note(node, "desiredConfig").startsWith("rendered-worker-"));
  return workers.every((node) => note(node, "currentConfig") === config && note(node, "state") === "Done");
}

const own = "system:serviceaccount:virt-advisor-operator-system:";
const ownAffairs = ["virtplatformconfigs", "events", "leases"];

/** Uses times instead of line counts, because the last lines of the audit log can be late. */
export const auditTimeNow = () => new Date().toISOString();

/** Returns the operator's requests since then, except watches and leases. */
export function requestsOf(server: Server, since = ""): readonly AuditEvent[] {
  return server
    .audit()
    .filter(({ user, requestReceivedTimestamp }) => user.username.startsWith(own) && requestReceivedTimestamp > since)
    .filter(({ verb, objectRef }) => verb !== "watch" && objectRef?.resource !== "leases");
}

/** Returns the operator's writes to targets in order, except dry runs. */
export function writesOf(server: Server): readonly string[] {
  return requestsOf(server)
    .filter(({ verb, requestURI }) => isWrite(verb) && !requestURI.includes("dryRun=All"))
    .filter(({ objectRef, responseStatus }) => !isOwnAffair(objectRef?.resource) && (responseStatus?.code ?? 0) < 300)
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ""}/${objectRef?.name ?? ""}`);
}

const isWrite = (verb: string) => ["create", "update", "patch", "delete"].includes(verb);
const isOwnAffair = (resource = "") => ownAffairs.includes(resource);

export type ConfigEvent = { readonly type: string; readonly reason: string; readonly note: string };

export async function eventsAbout(actor: ApiUser, config: string): Promise<readonly ConfigEvent[]> {
  const { body } = await actor.request({ path: "/apis/events.k8s.io/v1/namespaces/default/events" });
  const events = (
    body as { readonly items: readonly (ConfigEvent & { regarding?: { name?: string }; eventTime?: string })[] }
  ).items;
  return events
    .filter(({ regarding }) => regarding?.name === config)
    .toSorted((left, right) => ((left.eventTime ?? "") < (right.eventTime ?? "") ? -1 : 1));
}

export async function reasonsAbout(actor: ApiUser, config: string): Promise<readonly string[]> {
  return (await eventsAbout(actor, config)).map(({ reason }) => reason);
}

export async function runNextCommands(server: Server, status: Status): Promise<void> {
  const said = conditionOf(status, "Ready")?.message ?? "";
  const commands = said.split(" run: ")[1]?.split(" && ") ?? [];
  expect({ said, isThere: commands.length > 0 }).toEqual({ said, isThere: true });
  for (const command of commands) {
    const [, kubectl, ...words] =
      /^(kubectl) (patch) (vpconf) (\S+) (--type=merge) (-p) '([^']*)'$/.exec(command) ?? [];
    expect({ command, kubectl }).toEqual({ command, kubectl: "kubectl" });
    await server.kubectl(...words);
  }
}

const shownRequests = 60;

/** For `afterEach`: prints the operator's last requests if the test failed. */
export const printRequestsOnFailure =
  (testCluster: () => { readonly server: Server }) =>
  ({ task }: TestContext): void => {
    if (task.result?.state !== "fail") return;
    const lines = testCluster()
      .server.audit()
      .filter(({ user }) => user.username.startsWith(own))
      .map(({ requestReceivedTimestamp, stage, verb, requestURI, responseStatus }) =>
        [requestReceivedTimestamp, stage, verb, requestURI.slice(0, 150), responseStatus?.code].join(" "),
      );
    process.stderr.write(`${task.name}\n${lines.slice(-shownRequests).join("\n")}\n`);
  };
