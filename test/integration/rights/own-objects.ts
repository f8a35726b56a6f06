// The objects that each operator writes with all declared content, and a cluster in which its token has every right.

import type { AnyProfileFacts } from "@virt/advisor";
import { type JsonMap, type KubeObject, profileManager } from "@virt/api";
import { profiles } from "@virt/catalog";
import type { ApiResponse, ApiUser } from "@virt/testkit";
import { accountName, applyManifests, type ControllerName } from "../../support/account.ts";
import { desiredWith, hcoWith } from "../assets/rendering.ts";
import { readMock } from "../mock-crds/definitions.ts";
import { bindRole, type RightsCluster, startRightsCluster, untilDenied } from "./rights-cluster.ts";

export type OwnObject = {
  readonly plural: string;
  readonly object: KubeObject;
  /** Default: the name of the operator. */
  readonly manager?: string;
};

export const operators = ["advisor", "platform"] as const;
const definitions = [
  "forkliftcontrollers",
  "kubeletconfigs",
  "machineconfigs",
  "metallbs",
  "migrationpolicies",
  "nodehealthchecks",
  "operationrulesets",
  "persesdashboards",
  "prometheusrules",
  "servicemonitors",
  "uiplugins",
  "hyperconvergeds-v1beta1",
  "kubedeschedulers-v532",
].map((name) => readMock(`${name}.yaml`));

const said = {
  "vfio-devices": '[{"selector": "10DE:1EB8", "resourceName": "nvidia.com/TU104GL_Tesla_T4"}]',
  "usb-devices": '[{"resourceName": "a.b/c", "selectors": [{"vendor": "46f4", "product": "0001"}]}]',
};
const hco = {
  ...hcoWith(definitions, said),
  spec: { workloads: { nodePlacement: { nodeSelector: { ours: "true" } } } },
};

function planned(): readonly OwnObject[] {
  const facts = {
    ownNamespace: "virt-advisor-operator-system",
    hco: { apiVersion: hco.apiVersion, namespace: "openshift-cnv", object: hco },
    deschedulerSchema: definitions.at(-1)?.schema,
    workerKernel: [],
    masterKernel: [],
    vmNodes: { roles: ["worker", "master"], nodes: [] },
    pools: [],
    nodes: [],
    cnv: true,
    policies: [],
    loadAware: { kind: "unknown" },
    fenceTemplates: [],
    checks: [],
    machineChecks: [],
    nodeRoles: [],
  };
  return profiles.flatMap((profile) =>
    profile.plan(options[profile.name], facts as unknown as AnyProfileFacts).flatMap((item) => {
      if (item.operation !== "Apply") return [];
      const plural = `${item.desired.kind.toLowerCase()}s`.replace(/ys$/, "ies");
      return { plural, object: item.desired, manager: profileManager(profile.name) };
    }),
  );
}

const values = { bandwidthPerMigration: "64Mi", completionSecondsPerGiB: 100, convergence: "AutoConverge" };

/** Options of the profiles that write nothing without options. */
const options: Readonly<Record<string, JsonMap>> = {
  "live-migration": {
    ...values,
    perCluster: 200,
    perNode: 20,
    progressSeconds: 3600,
    network: "migration",
    policy: { ...values, vmLabels: { tier: "db" }, namespaceLabels: { "example.com/zone": "a" } },
  },
};

export const own: Readonly<Record<ControllerName, readonly OwnObject[]>> = {
  advisor: planned(),
  platform: desiredWith(definitions, { said, podCIDR: "10.128.0.0/20" }),
};

/** The operators are cluster administrators, so that only the policies restrict them. */
export async function startCatalogCluster(): Promise<RightsCluster> {
  const cluster = await startRightsCluster();
  for (const by of operators) {
    await bindRole(cluster.server, accountName(by), "cluster-admin");
    const foreign = { method: "DELETE", path: "/api/v1/namespaces/elsewhere" } as const;
    await untilDenied(cluster.accounts[by], foreign, `virt-${by}-operator-writes`);
  }
  await applyManifests(cluster.server, JSON.stringify(hco));
  return cluster;
}

/** Returns the first object of a kind that the operator writes. */
export function ownObject(by: ControllerName, kind: string): OwnObject {
  const found = own[by].find(({ object }) => object.kind === kind);
  if (found === undefined) throw new Error(`the ${by} writes no ${kind}`);
  return found;
}

/** Sets or removes the patch annotation of an object as a user. */
export function setPatch({ server }: RightsCluster, one: OwnObject, patch: string | null): Promise<ApiResponse> {
  const body = { metadata: { annotations: { "platform.kubevirt.io/patch": patch } } };
  return server.request({ method: "PATCH", path: `${pathOf(one)}?fieldManager=person`, body });
}

export function pathOf({ plural, object: { apiVersion, metadata } }: OwnObject): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/${metadata.namespace === undefined ? "" : `namespaces/${metadata.namespace}/`}${plural}/${metadata.name}`;
}

export function applyAs(user: ApiUser, by: ControllerName, one: OwnObject, query = ""): Promise<ApiResponse> {
  return user.request({
    method: "PATCH",
    path: `${pathOf(one)}?fieldManager=${one.manager ?? `virt-${by}-operator`}&force=true${query}`,
    contentType: "application/apply-patch+yaml",
    body: one.object,
  });
}
