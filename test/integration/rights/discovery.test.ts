// Every verb on every served resource with each operator's token: anything outside its role is refused.

import type { ApiUser } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ControllerName } from "../../support/account.ts";
import { type RightsCluster, startRightsCluster } from "./rights-cluster.ts";

type Resource = {
  readonly root: string;
  readonly group: string;
  readonly apiVersion: string;
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
};

let cluster: RightsCluster;
let served: readonly Resource[];
beforeAll(async () => {
  cluster = await startRightsCluster();
  served = await discover(cluster.server);
});
afterAll(() => cluster.server.stop());

async function discover(server: ApiUser): Promise<readonly Resource[]> {
  const get = async <T>(path: string) => (await server.request({ path })).body as T;
  type Groups = { readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[] };
  const { groups } = await get<Groups>("/apis");
  const versions = ["v1", ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion))];
  const lists = await Promise.all(
    versions.map(async (apiVersion) => {
      const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
      const { resources } = await get<{ readonly resources: readonly Resource[] }>(root);
      return resources.map((resource) => ({ ...resource, root, group, apiVersion }));
    }),
  );
  return lists.flat();
}

const methods: Readonly<Record<string, string>> = {
  get: "GET",
  list: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};

/** Uses a name and a namespace that no role names. */
const attempts = (resource: Resource, namespace: string) =>
  resource.verbs.flatMap((verb) => {
    const method = methods[verb];
    if (method === undefined) return []; // a watch has the same authorization as a list, but does not end
    const { root, apiVersion, kind, namespaced } = resource;
    const [plural = "", sub] = resource.name.split("/");
    const collection = `${root}${namespaced ? `/namespaces/${namespace}` : ""}/${plural}`;
    const isNamed = sub !== undefined || !["list", "create", "deletecollection"].includes(verb);
    const path = `${collection}${isNamed ? "/attacked" : ""}${sub === undefined ? "" : `/${sub}`}`;
    const metadata = { name: "attacked", ...(namespaced && { namespace }) };
    const body = verb === "patch" ? { metadata: { labels: { hostile: "true" } } } : { apiVersion, kind, metadata };
    const isRead = method === "GET";
    const what = `${verb} ${resource.name}${resource.group === "" ? "" : `.${resource.group}`}`;
    return [{ what, request: { method, path: isRead ? path : `${path}?dryRun=All`, ...(!isRead && { body }) } }];
  });

/** Requests that anyone may send, such as questions about their own rights. */
const open = [
  "create selfsubjectaccessreviews.authorization.k8s.io",
  "create selfsubjectreviews.authentication.k8s.io",
  "create selfsubjectrulesreviews.authorization.k8s.io",
];
const everybody = [
  ...open,
  "create events.events.k8s.io",
  "create subjectaccessreviews.authorization.k8s.io",
  "create tokenreviews.authentication.k8s.io",
  "get customresourcedefinitions.apiextensions.k8s.io",
  "get machineconfigs.machineconfiguration.openshift.io",
  "list customresourcedefinitions.apiextensions.k8s.io",
  "list nodes",
  "list virtplatformconfigs.advisor.kubevirt.io",
  "patch events.events.k8s.io",
];
const letThrough: Readonly<Record<ControllerName, readonly string[]>> = {
  advisor: [
    ...everybody,
    // A name that belongs to no profile, which the CRD refuses.
    "create virtplatformconfigs.advisor.kubevirt.io",
    "get namespaces",
    "get virtplatformconfigs.advisor.kubevirt.io",
    "get virtualmachines.kubevirt.io",
    "list fenceagentsremediationtemplates.fence-agents-remediation.medik8s.io",
    "list kubeletconfigs.machineconfiguration.openshift.io",
    "list kubevirts.kubevirt.io",
    "list machineconfignodes.machineconfiguration.openshift.io",
    "list machineconfigpools.machineconfiguration.openshift.io",
    "list machinehealthchecks.machine.openshift.io",
    "list migrationpolicies.migrations.kubevirt.io",
    "list network-attachment-definitions.k8s.cni.cncf.io",
    "list nodehealthchecks.remediation.medik8s.io",
    "list poddisruptionbudgets.policy",
    "list pods",
    "list virtualmachineinstancemigrations.kubevirt.io",
    "list virtualmachineinstances.kubevirt.io",
    "update virtplatformconfigs/status.advisor.kubevirt.io",
  ],
  platform: [
    ...everybody,
    "get virtualmachines.kubevirt.io",
    "list forkliftcontrollers.forklift.konveyor.io",
    "list kubeletconfigs.machineconfiguration.openshift.io",
    "list kubevirts.kubevirt.io",
    "list machineconfigpools.machineconfiguration.openshift.io",
    "list metallbs.metallb.io",
    "list mutatingadmissionpolicies.admissionregistration.k8s.io",
    "list mutatingadmissionpolicybindings.admissionregistration.k8s.io",
    "list mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "list nodehealthchecks.remediation.medik8s.io",
    "list poddisruptionbudgets.policy",
    "list pods",
    "list virtualmachineinstances.kubevirt.io",
  ],
};

test.each(["advisor", "platform"] as const)(
  "the token of the %s passes only with requests in its role",
  { timeout: 240_000 },
  async (by) => {
    const places = ["elsewhere", `virt-${by}-operator-system`];
    const all = served.flatMap((resource) =>
      (resource.namespaced ? places : places.slice(0, 1)).flatMap((place) => attempts(resource, place)),
    );
    expect(all.length).toBeGreaterThan(1000);
    const passed = new Set<string>();
    const succeeded = new Set<string>();
    const queue = all.values();
    const worker = async () => {
      for (const { what, request } of queue) {
        const { status } = await cluster.accounts[by].request(request as Parameters<ApiUser["request"]>[0]);
        if (status !== 403) passed.add(what);
        if (status < 300 && request.method !== "GET") succeeded.add(what);
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    expect([...passed].toSorted()).toEqual(letThrough[by].toSorted());
    expect([...succeeded].filter((what) => !everybody.includes(what))).toEqual([]);
  },
);
