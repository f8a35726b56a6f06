// Makes of what the caches show the world in which assets are judged.

import type { KubeObject, Ref } from "@virt/api";
import { asList, asText, at, type GovernorConfig, type Json, type Purposes } from "@virt/engine";
import { crdWatch, type Watch, type WatchSpec } from "@virt/kube";
import {
  type Asset,
  annotationOf,
  deviceAnnotations,
  type ExclusionRule,
  type Fact,
  type HcoFact,
  type PlacedRef,
  placed,
  type Read,
  readActivation,
  readHardware,
  readHco,
  readTopology,
  type World,
} from "@virt/platform";
import { configWatch } from "../advisor/watches.ts";
import type { Remembered } from "../remembered.ts";
import {
  infrastructureWatch,
  kindWatch,
  kubeletParts,
  namespaceWatch,
  nodeWatch,
  objectWatch,
  poolWatchOf,
  schedulerWatch,
} from "./watches.ts";

export type WorldParts = {
  readonly find: (spec: WatchSpec) => Watch | undefined;
  readonly remembered: Remembered;
  readonly assets: readonly Asset[];
  readonly activation: "always" | "opt-in";
  readonly images: Readonly<Record<string, string>>;
  readonly purposesOf: Purposes;
  readonly ownNamespace: string;
  /** The last valid list of exclusions. */
  readonly exclusions: readonly ExclusionRule[] | undefined;
};

const hcoCrd = "hyperconvergeds.hco.kubevirt.io";

export function buildWorld(hco: KubeObject | undefined, parts: WorldParts): World {
  const { find, remembered, assets, ownNamespace } = parts;
  const all = (spec: WatchSpec): readonly KubeObject[] => [...(find(spec)?.store.items() ?? [])];
  const crds = new Set(find(crdWatch)?.store.keys() ?? []);
  const nodes = all(nodeWatch);
  const version = hco?.apiVersion.split("/")[1] ?? "";
  const fact = hco && readHco(hco, remembered.schemaNow(hcoCrd, version));
  const annotations = fact?.annotations ?? {};
  const hardware = readHardware(nodes);
  const topology = readTopology({
    infrastructure: all(infrastructureWatch)[0],
    scheduler: all(schedulerWatch)[0],
    nodes,
    crds,
  });
  const live = (ref: Ref) => (ref.kind === "HyperConverged" ? hco : all(objectWatch(ref))[0]);
  const world = { hardware, topology, images: parts.images };
  const broken = Object.entries(deviceAnnotations).filter(([key, refuse]) => {
    const text = annotationOf(annotations, key);
    return text !== undefined && refuse(text) !== undefined;
  });
  return {
    ...world,
    hco: fact,
    activation: readActivation(annotationOf(annotations, "autopilot"), parts.activation, assets),
    exclusions: parts.exclusions,
    brokenDevices: broken.map(([key]) => key),
    crds,
    plans: all(configWatch) as unknown as readonly GovernorConfig[],
    purposesOf: parts.purposesOf,
    hasNamespace: (name) => {
      const watch = find(namespaceWatch(name));
      return watch?.state === "synced" ? watch.store.size > 0 : undefined;
    },
    fact: (read) => factOf(read, { ...parts, fact, world, all }),
    live,
    others: (apiVersion, kind) => all(kindWatch(apiVersion, kind, kind === "KubeletConfig" ? kubeletParts : [])),
    ownNamespace,
  };
}

type Reading = WorldParts & {
  readonly fact: HcoFact | undefined;
  readonly world: Pick<World, "hardware" | "topology" | "images">;
  readonly all: (spec: WatchSpec) => readonly KubeObject[];
};

const known = (value: unknown): Fact => ({ kind: "known", value: value as Extract<Fact, { kind: "known" }>["value"] });

function factOf(read: Read, reading: Reading): Fact {
  const { fact, world, remembered } = reading;
  switch (read.read) {
    case "hco":
      return fact === undefined ? { kind: "unavailable", why: "there is no HyperConverged" } : known(fact);
    case "hardware":
      return listed(nodeWatch, reading, () => world.hardware);
    case "topology":
      return listed(nodeWatch, reading, () => world.topology);
    case "images":
      return known(world.images);
    case "schema":
      return known(remembered.schemaNow(read.crd, read.version));
    case "object":
      return listed(objectWatch(placeOf(read.ref, reading)), reading, (items) => items[0]);
    case "objects":
      return listed(kindWatch(read.apiVersion, read.kind, read.parts), reading, (items) => items);
    case "pool":
      return listed(poolWatchOf(read.name), reading, (items) => items[0] && poolFact(items[0], remembered));
  }
}

/** What is not served is absent, which is a fact; what is not listed yet is not known. */
function listed(spec: WatchSpec, { find, all }: Reading, value: (items: readonly KubeObject[]) => unknown): Fact {
  const watch = find(spec);
  if (watch === undefined || watch.state === "starting")
    return { kind: "unavailable", why: watch?.trouble ?? `the list of ${spec.kind} is not complete` };
  return known(value(all(spec)));
}

function placeOf(ref: Ref | PlacedRef, { fact, ownNamespace }: Reading): Ref {
  return placed(ref, { hcoNamespace: fact?.namespace ?? "", hcoApiVersion: fact?.apiVersion ?? "", ownNamespace });
}

function poolFact(pool: KubeObject, remembered: Remembered) {
  const rendered = asText(at(pool, "spec", "configuration", "name")) ?? "";
  const config = remembered.renderedNow(rendered);
  const given: Json | undefined = config && at(config, "spec", "kernelArguments");
  return {
    labels: pool.metadata.labels ?? {},
    kernelArguments: config && asList(given).flatMap((one) => asText(one) ?? []),
  };
}
