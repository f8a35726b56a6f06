// Looks at a cluster once: lists what assets are judged by, and writes nothing.

import type { KubeObject, Ref } from "@virt/api";
import { asText, at } from "@virt/engine";
import { Client, clusterFor, crdWatch, Discovery, findAccess, type WatchSpec } from "@virt/kube";
import { type Asset, managedObjects, neededCrds, type Places, type Sought } from "@virt/platform";
import { configWatch } from "../advisor/watches.ts";
import { pickHco } from "../platform/hco.ts";
import { hcoWatchesFor, infrastructureWatch, nodeWatch, objectStreams, schedulerWatch } from "../platform/watches.ts";
import { CommandError } from "./command.ts";
import { type ListAnswer, listOnce } from "./list-once.ts";
import type { Looked } from "./read-files.ts";

export type Asking = {
  readonly kubeconfig: string;
  readonly hcoNamespace: string;
  readonly ownNamespace: string;
  readonly assets: readonly Asset[];
  readonly userAgent: string;
};

export async function readCluster(asking: Asking): Promise<Looked> {
  const client = new Client({
    access: findAccess({ env: {}, kubeconfig: asking.kubeconfig }),
    userAgent: asking.userAgent,
  });
  try {
    return await look(client, asking);
  } finally {
    client.close();
  }
}

async function look(client: Client, { hcoNamespace, ownNamespace, assets }: Asking): Promise<Looked> {
  const { signal } = new AbortController();
  const discovery = new Discovery(client);
  const list = (spec: WatchSpec) => listOnce(spec, { client, discovery, signal });
  const reader = clusterFor({ client, discovery, mayWrite: () => false }, signal);
  const crds = await list(crdWatch);
  if (crds.kind === "trouble") throw new CommandError(crds.message);
  const hco = await findHco(hcoNamespace, list);
  const places: Places = {
    hcoNamespace: hco.metadata.namespace ?? "",
    hcoApiVersion: hco.apiVersion,
    ownNamespace,
  };
  const specs = distinct([
    configWatch,
    nodeWatch,
    infrastructureWatch,
    schedulerWatch,
    ...managedObjects(assets, places).flatMap((object) => Object.values(objectStreams(object, places)).flat()),
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
    installed.filter(isWanted).map(({ metadata }) => read({ ...crdWatch, name: metadata.name })),
  );
  const rendered = await Promise.all(renderedNames(found).map((name) => read({ ...machineConfig, name })));
  return {
    hco,
    facts: {
      objects: distinct([...found, ...rendered.flat()]),
      crds: [...schemas.flat(), ...installed.filter((crd) => !isWanted(crd))],
      trouble: (sought) => troubleWith(sought, answers),
    },
  };
}

/** In the newest version that is served, as the controller chooses it. */
export async function findHco(namespace: string, list: (spec: WatchSpec) => Promise<ListAnswer>): Promise<KubeObject> {
  for (const spec of hcoWatchesFor(namespace)) {
    const answer = await list(spec);
    if (answer.kind === "trouble") throw new CommandError(answer.message);
    if (answer.kind === "not-served") continue;
    const chosen = pickHco(answer.items);
    if (chosen.kind === "found") return chosen.object;
    if (chosen.kind === "several") throw new CommandError("More than one HyperConverged found, set --hco-namespace");
    break;
  }
  throw new CommandError("no HyperConverged resource found");
}

const machineConfig = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig" };

function schemasRead({ reads }: Asset): readonly string[] {
  return Object.values(reads).flatMap((read) => (read.read === "schema" ? [read.crd] : []));
}

function renderedNames(objects: readonly KubeObject[]): readonly string[] {
  const pools = objects.filter(({ kind }) => kind === "MachineConfigPool");
  return [...new Set(pools.flatMap((pool) => asText(at(pool, "spec", "configuration", "name")) ?? []))];
}

function itemsOf(answer: ListAnswer): readonly KubeObject[] {
  return answer.kind === "listed" ? answer.items : [];
}

/** A list of all of a kind answers for each of them, a list of one for that one. */
function troubleWith(
  sought: Sought,
  answers: readonly { readonly spec: WatchSpec; readonly answer: ListAnswer }[],
): string | undefined {
  const about = answers.find(
    ({ spec }) => spec.apiVersion === sought.apiVersion && spec.kind === sought.kind && spec.name === sought.name,
  );
  return about?.answer.kind === "trouble" ? about.answer.message : undefined;
}

/** By what they are about: lists hold whole objects, whatever a watch would keep of them. */
function distinct<T extends WatchSpec | KubeObject>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((one) => [identityOf(one), one])).values()];
}

function identityOf(one: WatchSpec | KubeObject): string {
  const { apiVersion, kind } = one;
  const { name, namespace } = "metadata" in one ? one.metadata : one;
  return JSON.stringify([apiVersion, kind, namespace ?? null, name ?? null]);
}
