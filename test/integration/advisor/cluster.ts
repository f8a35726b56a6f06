// The cluster around a plan, as people and other controllers handle it: targets, pools, nodes, events, and who wrote what.

import { conditionOf } from "@virt/advisor";
import type { Json, KubeObject, Status } from "@virt/api";
import { asList, asText, at } from "@virt/engine";
import type { ApiUser, AuditEvent, Server } from "@virt/testkit";
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
export async function readAt(actor: ApiUser, path: string): Promise<KubeObject | undefined> {
  const { status, body } = await actor.request({ path });
  return status === 200 ? (body as KubeObject) : undefined;
}

/** A merge patch, by whoever asks for it. */
export async function edit(actor: ApiUser, path: string, body: object): Promise<void> {
  const answer = await actor.request({ method: "PATCH", path, body });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
}

/** A fault of the simulator, such as `degrade`; null ends it. */
export function fault(actor: ApiUser, path: string, [name, value]: readonly [string, string | null]): Promise<void> {
  return edit(actor, path, { metadata: { annotations: { [`simulator.kubevirt.io/${name}`]: value } } });
}

/** Gone, if it was there. */
export async function removeAt(actor: ApiUser, path: string): Promise<void> {
  const { status, body } = await actor.request({ method: "DELETE", path });
  if (status >= 300 && status !== 404) throw new Error(JSON.stringify(body));
}

/**
 * The pool and each of its nodes run what the pool aims at, and that has or has not this MachineConfig in it. The pool alone says
 * so as well when a rollout is taken back in its midst.
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

/** The time as the audit log has it. Its last lines may be on their way, so that a count of lines says nothing. */
export const auditTimeNow = () => new Date().toISOString();

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

export type ConfigEvent = { readonly type: string; readonly reason: string; readonly note: string };

/** The events about a config, the oldest first. */
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

/** Runs the commands that Ready gives a person, as they are. */
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

/** For `afterEach`: shows what the operator asked for last, so that a failure need not be seen twice to be understood. */
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
