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
import type { Parts, PlacedRef, Read } from "../reads.ts";
import { readTopology } from "../topology.ts";
import type { Listed, Looked, Lookup } from "./lookup.ts";
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
  const schema = hco && lookup.schema(hcoCrd, hco.apiVersion.split("/")[1] ?? "");
  const fact = hco && readHco(hco, schema?.value);
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
    unread: unreadIn(lookup, schema?.trouble),
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
    others: (apiVersion, kind) => lookup.objects(apiVersion, kind, partsOf(kind)).items,
    unlisted: ({ name, ...rest }) =>
      name === undefined
        ? lookup.objects(rest.apiVersion, rest.kind, partsOf(rest.kind)).trouble
        : lookup.object({ ...rest, name }).trouble,
    ownNamespace,
    runbookUrlTemplate: given.runbookUrlTemplate,
  };
}

const partsOf = (kind: string): Parts => (kind === "KubeletConfig" ? poolRuleParts : []);

/** The schema of the HyperConverged says which of its fields this cluster has. */
function unreadIn(lookup: Lookup, schema: string | undefined): string | undefined {
  const { nodes, infrastructure, scheduler, plans, crdTrouble } = lookup;
  const troubles = {
    crds: crdTrouble,
    "schema of the HyperConverged": schema,
    nodes: nodes().trouble,
    infrastructure: infrastructure().trouble,
    scheduler: scheduler().trouble,
    plans: plans().trouble,
  };
  return Object.entries(troubles).flatMap(([name, why]) => (why === undefined ? [] : `${name}: ${why}`))[0];
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
      return looked(lookup.schema(read.crd, read.version));
    case "object":
      return whole(lookup.object(placeOf(read.ref, reading)), ([first]) => first);
    case "objects":
      return whole(lookup.objects(read.apiVersion, read.kind, read.parts), (items) => items);
    case "pool":
      return poolFact(lookup.pool(read.name), lookup);
  }
}

/** What is not served is absent, which is a fact; what is not listed yet is not known. */
function whole({ items, trouble }: Listed, value: (items: readonly KubeObject[]) => unknown): Fact {
  return trouble === undefined ? known(value(items)) : { kind: "unavailable", why: trouble };
}

function placeOf(ref: Ref | PlacedRef, { fact, ownNamespace }: Reading): Ref {
  return placed(ref, { hcoNamespace: fact?.namespace ?? "", hcoApiVersion: fact?.apiVersion ?? "", ownNamespace });
}

function looked({ value, trouble }: Looked<unknown>): Fact {
  return trouble === undefined ? known(value) : { kind: "unavailable", why: trouble };
}

/** A pool that aims at nothing yet has no arguments that are known. */
function poolFact(listed: Listed, { rendered }: Lookup): Fact {
  const [pool] = listed.items;
  const name = asText(at(pool, "spec", "configuration", "name"));
  const config = name === undefined ? {} : rendered(name);
  if (config.trouble !== undefined) return looked(config);
  const given: Json | undefined = config.value && at(config.value, "spec", "kernelArguments");
  const kernelArguments = config.value && asList(given).flatMap((one) => asText(one) ?? []);
  return whole(listed, ([first]) => first && { labels: first.metadata.labels ?? {}, kernelArguments });
}
