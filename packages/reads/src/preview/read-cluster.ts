// Reads all objects that assets depend on from a cluster, once. Writes nothing.

import type { KubeObject, Ref } from "@virt/api";
import {
  autopilotInformer,
  chooseHyperConverged,
  configInformer,
  infrastructureInformer,
  networkInformer,
  nodeInformer,
  readMachineConfigPool,
  schedulerInformer,
  severalHyperConvergeds,
} from "@virt/cluster";
import { type Client, crdInformer, Discovery, type InformerSpec, readerFor } from "@virt/kube";
import { type Asset, type LookupKey, managedObjects, neededCrds, type PlainFacts, placesIn } from "@virt/platform";
import { type ListAnswer, listOnce } from "../informer-lists.ts";
import { consentInformer, governanceInformer, objectInformersOf, platformHcoInformers } from "../platform-informers.ts";

export type PreviewFacts = { readonly hco: KubeObject; readonly facts: PlainFacts };

/** An error that the user can fix: an unreadable file, a missing HyperConverged or an unknown name. */
export class PreviewError extends Error {
  readonly code = "preview";
}

type ClusterReadOptions = {
  readonly hcoNamespace: string;
  readonly ownNamespace: string;
  readonly assets: readonly Asset[];
  readonly signal: AbortSignal;
};

export async function readCluster(
  client: Client,
  { hcoNamespace, ownNamespace, assets, signal }: ClusterReadOptions,
): Promise<PreviewFacts> {
  const discovery = new Discovery(client);
  const list = (spec: InformerSpec) => listOnce(spec, { client, discovery, signal });
  const reader = readerFor({ client, discovery }, signal);
  const crds = await list(crdInformer);
  if (crds.kind === "failed") throw new PreviewError(crds.message);
  const hco = await findHco(hcoNamespace, list);
  const places = placesIn(hco, { ownNamespace });
  const specs = distinct([
    configInformer,
    governanceInformer(ownNamespace),
    consentInformer(ownNamespace),
    autopilotInformer(places.hcoNamespace),
    nodeInformer,
    infrastructureInformer,
    schedulerInformer,
    networkInformer,
    ...managedObjects(assets, places).flatMap((object) => Object.values(objectInformersOf(object, places)).flat()),
  ]);
  const answers = await Promise.all(specs.map(async (spec) => ({ spec, answer: await list(spec) })));
  const found = answers.flatMap(({ answer }) => (answer.kind === "listed" ? answer.items : []));
  const wanted = new Set(assets.flatMap((asset) => [...neededCrds(asset), ...schemasRead(asset)]));
  const installed = itemsOf(crds);
  const read = async (ref: Ref) => {
    const reading = await reader.read(ref);
    return reading.kind === "found" ? [reading.object] : [];
  };
  const isWanted = (crd: KubeObject) => wanted.has(crd.metadata.name);
  const schemas = await Promise.all(
    installed.filter(isWanted).map(({ metadata }) => read({ ...crdInformer, name: metadata.name })),
  );
  const rendered = await Promise.all(renderedNames(found).map((name) => read({ ...machineConfig, name })));
  return {
    hco,
    facts: {
      objects: distinct([...found, ...rendered.flat()]),
      crds: [...schemas.flat(), ...installed.filter((crd) => !isWanted(crd))],
      unreadReason: (sought) => unreadReasonOf(sought, answers),
    },
  };
}

/** Returns the HyperConverged in the newest served version, chosen as the controller chooses it. */
export async function findHco(
  namespace: string,
  list: (spec: InformerSpec) => Promise<ListAnswer>,
): Promise<KubeObject> {
  for (const spec of platformHcoInformers(namespace)) {
    const answer = await list(spec);
    if (answer.kind === "failed") throw new PreviewError(answer.message);
    if (answer.kind === "not-served") continue;
    const chosen = chooseHyperConverged(answer.items, namespace);
    if (chosen.kind === "found") return chosen.object;
    if (chosen.kind === "several") throw new PreviewError(severalHyperConvergeds(chosen.objects));
    break;
  }
  throw new PreviewError("no HyperConverged resource found");
}

const machineConfig = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig" };

function schemasRead({ reads }: Asset): readonly string[] {
  return Object.values(reads).flatMap((read) => (read.read === "schema" || read.read === "served" ? [read.crd] : []));
}

function renderedNames(objects: readonly KubeObject[]): readonly string[] {
  const pools = objects.filter(({ kind }) => kind === "MachineConfigPool");
  return [...new Set(pools.flatMap((pool) => readMachineConfigPool(pool).target.name ?? []))];
}

function itemsOf(answer: ListAnswer): readonly KubeObject[] {
  return answer.kind === "listed" ? answer.items : [];
}

/** Returns why a lookup failed. The failed list of a kind affects only lookups of the whole kind. */
function unreadReasonOf(
  sought: LookupKey,
  answers: readonly { readonly spec: InformerSpec; readonly answer: ListAnswer }[],
): string | undefined {
  const about = answers.find(
    ({ spec }) => spec.apiVersion === sought.apiVersion && spec.kind === sought.kind && spec.name === sought.name,
  );
  return about?.answer.kind === "failed" ? about.answer.message : undefined;
}

function distinct<T extends InformerSpec | KubeObject>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((one) => [identityOf(one), one])).values()];
}

function identityOf(one: InformerSpec | KubeObject): string {
  const { apiVersion, kind } = one;
  const { name, namespace } = "metadata" in one ? one.metadata : one;
  return JSON.stringify([apiVersion, kind, namespace ?? null, name ?? null]);
}
