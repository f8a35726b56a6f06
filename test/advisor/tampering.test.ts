// An attacker who may write a config's status, but no target, tries to make the operator write.

import { configKind, type Item, type JsonMap, type Status } from "@virt/api";
import { at } from "@virt/objects";
import type { ApiUser } from "@virt/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import {
  edit,
  eventsAbout,
  higherDensity,
  loadAware,
  paths,
  readAt,
  reasonsAbout,
  removeAt,
  requestsOf,
  untilPoolRests,
  writesOf,
} from "../support/advisor.ts";
import { applyToPausedPool, densityItem, psiItem, unpauseWorkers, useAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const evil = "init=/bin/evil";
let mallory: ApiUser;

const statusRole = `\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: status-writer}
rules:
- {apiGroups: [${configKind.group}], resources: [${configKind.plural}/status], verbs: [get, patch, update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: status-writer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: status-writer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: mallory}]
`;

const advisor = useAdvisor({
  scenario: "no-vms",
  prepare: async ({ server }) => {
    await applyManifests(server, statusRole);
    // Removes the admission policies, to test the operator's own checks.
    await server.request({ method: "DELETE", path: bindings });
    mallory = server.user("mallory");
  },
});
afterEach(async () => {
  const { server } = advisor();
  await Promise.all([loadAware, higherDensity].map((name) => removeAt(server, paths.config(name))));
  await unpauseWorkers(server);
  const untouched = { higherWorkloadDensity: { memoryOvercommitPercentage: 100 }, ksmConfiguration: null };
  await edit(server, paths.hco, { spec: untouched });
  await Promise.all([paths.psi, paths.swap, paths.descheduler].map((path) => removeAt(server, path)));
  await untilPoolRests(server, "99-worker-psi-karg", false);
  await untilPoolRests(server, "90-worker-kubelet-swap", false);
});

/** Retries until the API server has dropped the policies. */
async function tamper(name: string, change: (status: Status) => Status): Promise<void> {
  const attempt = async () => {
    const status = change(await advisor().configs.status(name));
    const answer = await mallory.request({ method: "PATCH", path: `${paths.config(name)}/status`, body: { status } });
    return answer.status;
  };
  await expect.poll(attempt).toBe(200);
}

const onItem =
  (name: string, change: (item: Item) => Item) =>
  (status: Status): Status => ({
    ...status,
    items: (status.items ?? []).map((item) => (item.name === name ? change(item) : item)),
  });

const renamed = (item: Item, name: string): Item => ({
  ...item,
  targetRef: { ...item.targetRef, name },
  ...(item.desiredState && {
    desiredState: { ...item.desiredState, metadata: { ...item.desiredState.metadata, name } },
  }),
});

const withSpec = (item: Item, spec: JsonMap): Item =>
  item.desiredState === undefined ? item : { ...item, desiredState: { ...item.desiredState, spec } };

type Attack = {
  readonly what: string;
  readonly change: (item: Item) => Item;
  /** True if the operator, after a restart, cannot distinguish the attack from a change in the cluster. */
  readonly isPlausible?: boolean;
};

const onMachineConfig: readonly Attack[] = [
  { what: "desiredState", change: (item) => withSpec(item, { kernelArguments: ["psi=1", evil] }) },
  { what: "managedFields", change: (item) => ({ ...item, managedFields: ["spec.kernelArguments", "spec.config"] }) },
  { what: "targetRef", change: (item) => renamed(item, "00-evil") },
  { what: "diff", change: (item) => ({ ...item, diff: "--- nothing to see\n", impactSeverity: "Low" }) },
  { what: "warnings", change: (item) => ({ ...item, warnings: ["perfectly safe"] }), isPlausible: true },
  {
    what: "conflicts",
    change: (item) => ({ ...item, conflicts: [{ field: "spec", manager: "kubectl", operation: "Update" }] }),
    isPlausible: true,
  },
];

const onHyperConverged: readonly Attack[] = [
  {
    what: "desiredState",
    change: (item) => withSpec(item, { higherWorkloadDensity: { memoryOvercommitPercentage: 1000 } }),
  },
  { what: "managedFields", change: (item) => ({ ...item, managedFields: ["spec"] }) },
  { what: "targetRef", change: (item) => ({ ...item, targetRef: { ...item.targetRef, namespace: "default" } }) },
  { what: "waitsFor", change: ({ waitsFor: _waits, ...item }) => item },
];

const sent = () =>
  requestsOf(advisor().server)
    .filter(({ verb, objectRef }) => verb === "patch" && objectRef?.resource !== configKind.plural)
    .map(({ requestObject, requestURI }) => `${requestURI} ${JSON.stringify(requestObject)}`);

const contentOf = ({ diff, desiredState, managedFields, targetRef }: Item) => ({
  diff,
  desiredState,
  managedFields,
  targetRef,
});

/** `make test` runs one attack of each kind, `make test-all` runs all. */
const tagsOf = (what: string) => ({ tags: what === "desiredState" ? [] : ["thorough"] });

describe.each(onMachineConfig)("$what of a plan in review, changed by an attacker", ({ what, change, isPlausible }) => {
  test("while the operator runs: restores and reports it before an approval", tagsOf(what), async () => {
    const { configs, server } = advisor();
    const drafted = await configs.draft(loadAware);
    await tamper(loadAware, onItem(psiItem, change));
    const restored = await configs.until(
      loadAware,
      (status) => status.phase === "ReviewRequired" && status.review?.reason === "PlanTampered",
    );
    expect(restored.review).toMatchObject({ forced: true, planHash: drafted.planHash });
    expect(restored.items).toEqual(drafted.items);
    await expect.poll(() => reasonsAbout(server, loadAware)).toContain("PlanTampered");
    const reports = async () =>
      (await eventsAbout(server, loadAware)).filter(({ reason }) => reason === "PlanTampered");
    await expect.poll(async () => (await reports()).some(({ note }) => note.includes(what))).toBe(true);
    expect((await reports()).every(({ type }) => type === "Warning")).toBe(true);

    await configs.approve(loadAware);
    expect(at(await readAt(server, paths.psi), "spec")).toEqual({ kernelArguments: ["psi=1"] });
    expect(sent().filter((request) => request.includes("evil"))).toEqual([]);
  });

  test(
    "while the operator is down: writes nothing despite an approval, and restores the plan",
    tagsOf(what),
    async () => {
      const { configs, server } = advisor();
      const reason = isPlausible === true ? "PlanStale" : "PlanTampered";
      const drafted = await configs.draft(loadAware);
      await advisor().stop();
      const writes = writesOf(server).length;
      await tamper(loadAware, onItem(psiItem, change));
      await configs.edit(loadAware, { action: "Apply", approvedPlan: drafted.planHash });
      await advisor().start();
      const shown = await configs.until(
        loadAware,
        (status) => status.phase === "ReviewRequired" && status.review?.reason === reason,
      );
      expect(shown.items).toEqual(drafted.items);
      expect(shown.review).toMatchObject({ forced: true, generation: 2 });
      expect(writesOf(server).slice(writes)).toEqual([]);
      expect(sent().filter((request) => request.includes("evil"))).toEqual([]);
      await expect.poll(() => reasonsAbout(server, loadAware)).toContain(reason);
    },
  );
});

describe.each(onHyperConverged)("$what of a waiting item, changed by an attacker", ({ what, change }) => {
  const overcommit = async () => at(await readAt(advisor().server, paths.hco), "spec", "higherWorkloadDensity");

  test.each([
    { when: "while the operator runs", isDown: false },
    { when: "while the operator is down", isDown: true },
  ])("$when: stops the plan and writes nothing", tagsOf(what), async ({ isDown }) => {
    const { configs, server } = advisor();
    const before = await overcommit();
    const drafted = itemOf(await applyToPausedPool(advisor(), higherDensity), densityItem);
    const writes = writesOf(server).length;
    if (isDown) await advisor().stop();
    await tamper(higherDensity, onItem(densityItem, change));
    if (isDown) await advisor().start();
    await unpauseWorkers(server);
    const stopped = await configs.until(
      higherDensity,
      (status) => status.phase === "ReviewRequired" && status.review?.reason === "PlanTampered",
    );
    expect(stopped.review?.forced).toBe(true);
    expect(contentOf(itemOf(stopped, densityItem))).toEqual(contentOf(drafted));
    await untilPoolRests(server, "90-worker-kubelet-swap", true);
    expect(writesOf(server).slice(writes)).toEqual([]);
    expect(await overcommit()).toEqual(before);
    expect(sent().filter((request) => request.includes('"memoryOvercommitPercentage":1000'))).toEqual([]);
    await expect.poll(() => reasonsAbout(server, higherDensity)).toContain("PlanTampered");
  });
});
