// Makes of what is looked up the world in which assets are judged.

import type { Json, KubeObject, Ref } from "@virt/api";
import { asList, asText, at, type GovernorConfig, type Purposes } from "@virt/engine";
import { type ActivationMode, readActivation } from "../activation.ts";
import type { Asset } from "../asset.ts";
import { deviceAnnotations } from "../devices.ts";
import type { ExclusionRule } from "../disabled-resources.ts";
import { readHardware } from "../hardware.ts";
import { annotationOf } from "../hco-annotations.ts";
import { type HcoFact, readHco } from "../hco-fact.ts";
import { poolRuleParts } from "../pool-rule.ts";
import type { PlacedRef, Read } from "../reads.ts";
import { readTopology } from "../topology.ts";
import type { Listed, Lookup } from "./lookup.ts";
import { placed } from "./place.ts";
import type { Fact, World } from "./world.ts";

export type WorldGiven = {
  readonly lookup: Lookup;
  readonly assets: readonly Asset[];
  readonly activation: ActivationMode;
  readonly images: Readonly<Record<string, string>>;
  readonly purposesOf: Purposes;
  readonly ownNamespace: string;
  readonly runbookUrlTemplate?: string | undefined;
  /** The last valid list of exclusions. */
  readonly exclusions: readonly ExclusionRule[] | undefined;
};

const hcoCrd = "hyperconvergeds.hco.kubevirt.io";

/** The same for the controller, its pages and the commands: they cannot disagree on the same facts. */
export function buildWorld(hco: KubeObject | undefined, given: WorldGiven): World {
  const { lookup, assets, images, purposesOf, ownNamespace, exclusions } = given;
  const { crds } = lookup;
  const nodes = lookup.nodes().items;
  const fact = hco && readHco(hco, lookup.schema(hcoCrd, hco.apiVersion.split("/")[1] ?? ""));
  const annotations = fact?.annotations ?? {};
  const [infrastructure] = lookup.infrastructure().items;
  const [scheduler] = lookup.scheduler().items;
  const world = {
    hardware: readHardware(nodes),
    topology: readTopology({ infrastructure, scheduler, nodes, crds }),
    images,
  };
  return {
    ...world,
    hco: fact,
    activation: readActivation(annotationOf(annotations, "autopilot"), given.activation, assets),
    exclusions,
    unread: unreadIn(lookup),
    brokenDevices: brokenDevices(annotations),
    crds,
    plans: lookup.plans().items as unknown as readonly GovernorConfig[],
    purposesOf,
    hasNamespace: (name) => {
      const { items, trouble } = lookup.namespace(name);
      return trouble === undefined ? items.length > 0 : undefined;
    },
    fact: (read) => factOf(read, { lookup, fact, world, ownNamespace }),
    live: (ref) => (ref.kind === "HyperConverged" ? hco : lookup.object(ref).items[0]),
    others: (apiVersion, kind) => lookup.objects(apiVersion, kind, kind === "KubeletConfig" ? poolRuleParts : []).items,
    ownNamespace,
    runbookUrlTemplate: given.runbookUrlTemplate,
  };
}

function unreadIn({ nodes, infrastructure, scheduler, plans }: Lookup): string | undefined {
  const lists = { nodes, infrastructure, scheduler, plans };
  return Object.entries(lists).flatMap(([name, list]) => {
    const { trouble } = list();
    return trouble === undefined ? [] : `${name}: ${trouble}`;
  })[0];
}

function brokenDevices(annotations: HcoFact["annotations"]): readonly string[] {
  return Object.entries(deviceAnnotations).flatMap(([key, refuse]) => {
    const text = annotationOf(annotations, key);
    return text !== undefined && refuse(text) !== undefined ? [key] : [];
  });
}

type Reading = {
  readonly lookup: Lookup;
  readonly fact: HcoFact | undefined;
  readonly world: Pick<World, "hardware" | "topology" | "images">;
  readonly ownNamespace: string;
};

const known = (value: unknown): Fact => ({ kind: "known", value: value as Extract<Fact, { kind: "known" }>["value"] });

function factOf(read: Read, reading: Reading): Fact {
  const { lookup, fact, world } = reading;
  switch (read.read) {
    case "hco":
      return fact === undefined ? { kind: "unavailable", why: "there is no HyperConverged" } : known(fact);
    case "hardware":
      return whole(lookup.nodes(), () => world.hardware);
    case "topology":
      return whole(lookup.nodes(), () => world.topology);
    case "images":
      return known(world.images);
    case "schema":
      return known(lookup.schema(read.crd, read.version));
    case "object":
      return whole(lookup.object(placeOf(read.ref, reading)), ([first]) => first);
    case "objects":
      return whole(lookup.objects(read.apiVersion, read.kind, read.parts), (items) => items);
    case "pool":
      return whole(lookup.pool(read.name), ([first]) => first && poolFact(first, lookup));
  }
}

/** What is not served is absent, which is a fact; what is not listed yet is not known. */
function whole({ items, trouble }: Listed, value: (items: readonly KubeObject[]) => unknown): Fact {
  return trouble === undefined ? known(value(items)) : { kind: "unavailable", why: trouble };
}

function placeOf(ref: Ref | PlacedRef, { fact, ownNamespace }: Reading): Ref {
  return placed(ref, { hcoNamespace: fact?.namespace ?? "", hcoApiVersion: fact?.apiVersion ?? "", ownNamespace });
}

function poolFact(pool: KubeObject, { rendered }: Lookup) {
  const config = rendered(asText(at(pool, "spec", "configuration", "name")) ?? "");
  const given: Json | undefined = config && at(config, "spec", "kernelArguments");
  return {
    labels: pool.metadata.labels ?? {},
    kernelArguments: config && asList(given).flatMap((one) => asText(one) ?? []),
  };
}
