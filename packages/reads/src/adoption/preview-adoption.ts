// Previews an adoption: what our controller would take over from virt-platform-autopilot, and the rebooted nodes.

import { autopilotName, type Impact, type KubeObject, usualOperatorNamespaces } from "@virt/api";
import { poolInformer } from "@virt/cluster";
import { assessedOr, disruptionPolicyInformer, notAssessed } from "@virt/impact";
import { type Client, type ClusterReader, clusterFor, Discovery, noLease } from "@virt/kube";
import { at } from "@virt/objects";
import { type Counterpart, type NodeFacts, placesIn } from "@virt/platform";
import { readReportedState } from "../find-reports.ts";
import { assessList, listPolicies } from "../impact-facts.ts";
import { listOnce } from "../informer-lists.ts";
import { type CatalogPreviewInput, previewCatalog } from "../preview/preview-catalog.ts";
import { PreviewError, readCluster } from "../preview/read-cluster.ts";
import { readImpactOfWrites } from "../preview/read-impact.ts";
import { assumeFacts } from "./assumed-facts.ts";
import { type AdoptionDecision, decideAdoption, type ReadCluster } from "./decide-adoption.ts";

type PreviewedCluster = Pick<
  CatalogPreviewInput,
  "catalog" | "environment" | "ownNamespace" | "hcoNamespace" | "now"
> & { readonly client: Client; readonly signal: AbortSignal };

/** The cluster, the table of objects, and the choices of the user. */
export type AdoptionInput = PreviewedCluster & {
  readonly table: readonly Counterpart[];
  /** Assets that replace their counterparts, although nodes reboot. */
  readonly replaced: readonly string[];
};

/** `impact` is null if no node changes. */
export type AdoptionPreview = Omit<AdoptionDecision, "current" | "writes"> & { readonly impact: Impact | null };

/** Reads with the user's permissions and writes nothing. Throws a PreviewError that tells the user what to fix. */
export async function previewAdoption(input: AdoptionInput): Promise<AdoptionPreview> {
  const { catalog, table, replaced, client, signal, now } = input;
  const cluster = await readAdoptedCluster(input);
  if (!cluster.isOursReported)
    throw new PreviewError(
      `no report of virt-platform-operator found${input.ownNamespace === undefined ? "" : ` in namespace ${input.ownNamespace}`}: it must run before it can take over objects. If it runs, name its namespace with -n`,
    );
  const { current, writes, ...decision } = await decideAdoption(cluster, { assets: catalog.assets, table, replaced });
  const { hco, clusterFacts } = current;
  const impact = await readImpactOfWrites(writes, { hco, clusterFacts, client, signal, now });
  return { ...decision, impact: impact ?? null };
}

/** Reads the cluster once. The result previews it as often as needed. */
export async function readAdoptedCluster(
  input: PreviewedCluster,
): Promise<ReadCluster & { readonly isOursReported: boolean }> {
  const { client, signal, catalog, environment, hcoNamespace, now } = input;
  const reported = await readReportedState(client, input.ownNamespace, signal);
  const ownNamespace = input.ownNamespace ?? reported.namespace ?? usualOperatorNamespaces.platform[0];
  const read = await readCluster(client, { hcoNamespace, ownNamespace, assets: catalog.assets, signal });
  const common = { catalog, environment, ownNamespace, hcoNamespace, activation: reported.mode, now };
  const reads = clusterFor({ client: client.under(noLease), discovery: new Discovery(client) }, signal);
  return {
    hco: read.hco,
    places: placesIn(read.hco, { ownNamespace }),
    isOursReported: reported.namespace !== undefined,
    isAutopilotInstalled: await isInstalled(read.hco, reads),
    nodes: await readNodeFacts(client, signal),
    preview: (assumed) => {
      const facts = assumed === undefined ? read : assumeFacts(read, assumed);
      return previewCatalog({ ...common, source: { kind: "facts", read: facts, reported } });
    },
    reads,
  };
}

/** A Deployment that the user may not read counts as installed. */
async function isInstalled({ metadata: { namespace = "" } }: KubeObject, { read }: ClusterReader): Promise<boolean> {
  const result = await read({ apiVersion: "apps/v1", kind: "Deployment", name: autopilotName, namespace });
  return result.kind === "found" ? at(result.object, "spec", "replicas") !== 0 : result.kind !== "absent";
}

async function readNodeFacts(client: Client, signal: AbortSignal): Promise<NodeFacts> {
  const discovery = new Discovery(client);
  const [pools, policies] = await Promise.all(
    [poolInformer, disruptionPolicyInformer].map(async (spec) =>
      assessList(await listOnce(spec, { client, discovery, signal })),
    ),
  );
  if (pools?.isAssessed === false && pools.reason !== "NotServed") throw new PreviewError(pools.message);
  return {
    pools: pools === undefined ? [] : assessedOr(pools, []),
    policies: listPolicies(() => policies ?? notAssessed("Unavailable")),
  };
}
