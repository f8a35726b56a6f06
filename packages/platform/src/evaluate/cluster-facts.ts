// What is known of the cluster when assets are evaluated, built from what is looked up. Nothing here does I/O.

import type { Json, KubeObject, Ref } from "@virt/api";
import { asList, asText, at, type GovernorConfig, type Purposes } from "@virt/engine";
import {
  type CountedHardware,
  type Hardware,
  type HardwareChange,
  poolRuleParts,
  type ReadParts,
  readHardware,
  readTopology,
  type Topology,
  withHostPrefix,
} from "@virt/facts";
import { type Activation, type ActivationMode, readActivation } from "../activation.ts";
import type { Asset, AssetFactOf, AssetRead, PlacedRef } from "../asset.ts";
import { deviceAnnotations } from "../devices.ts";
import type { ExclusionRule } from "../disabled-resources.ts";
import type { ReleasedAsset } from "../governance/governance-record.ts";
import { annotationOf } from "../hco-annotations.ts";
import { type AssetHcoFact, readHco } from "../hco-fact.ts";
import type { UnreadInput } from "./asset-status.ts";
import type { ListResult, Lookup, LookupResult } from "./lookup.ts";
import { placed } from "./managed-objects.ts";

/** A read that failed is not an empty one. */
export type Fact =
  | { readonly kind: "known"; readonly value: AssetFactOf<AssetRead> }
  | { readonly kind: "unavailable"; readonly why: string };

/** What is known of the cluster at one moment. Its functions read caches and never fail. */
export type ClusterFacts = {
  /** The HyperConverged as it is in force; undefined: there is none, or nobody can say which. */
  readonly hco: AssetHcoFact | undefined;
  readonly activation: Activation;
  /** What every asset is evaluated by and nobody could read yet: nothing may be concluded from it. */
  readonly unread: UnreadInput | undefined;
  /** The last valid rules; undefined: none are known since the start, and nothing may be written. */
  readonly exclusions: readonly ExclusionRule[] | undefined;
  /** Short keys of device annotations that cannot be read. */
  readonly brokenDevices: readonly string[];
  readonly hardware: Hardware;
  /** Changes of the hardware that do not count yet. */
  readonly hardwareChanges: readonly HardwareChange[];
  readonly topology: Topology;
  readonly images: Readonly<Record<string, string>>;
  /** Names of the installed CRDs. */
  readonly crds: ReadonlySet<string>;
  readonly plans: readonly GovernorConfig[];
  readonly purposesOf: Purposes;
  /** By asset: a plan governed it, and no person asked for it since. */
  readonly released: Readonly<Record<string, ReleasedAsset>>;
  /** Why nobody can say which assets are released. */
  readonly releasedUnread?: string | undefined;
  /** Undefined: not known yet. */
  readonly hasNamespace: (name: string) => boolean | undefined;
  readonly fact: (read: AssetRead) => Fact;
  readonly live: (ref: Ref) => KubeObject | undefined;
  /** Objects of a kind beside ours, by their metadata. */
  readonly others: (apiVersion: string, kind: string) => readonly KubeObject[];
  /** Why nobody can say yet whether an object is there, or without its name which ones of the kind are. */
  readonly unlisted: (sought: Omit<Ref, "name"> & Partial<Ref>) => string | undefined;
  readonly ownNamespace: string;
  readonly runbookUrlTemplate?: string | undefined;
};

/** What facts are built from. */
export type ClusterFactsInput = {
  readonly lookup: Lookup;
  readonly assets: readonly Asset[];
  readonly activation: ActivationMode;
  readonly images: Readonly<Record<string, string>>;
  readonly purposesOf: Purposes;
  readonly ownNamespace: string;
  readonly runbookUrlTemplate?: string | undefined;
  /** The last valid list of exclusions. */
  readonly exclusions: readonly ExclusionRule[] | undefined;
  readonly released: Readonly<Record<string, ReleasedAsset>>;
  readonly releasedUnread?: string | undefined;
  /** Returns the hardware that counts, from what the nodes have now. Without it, that counts. */
  readonly countHardware?: ((seen: Hardware) => CountedHardware) | undefined;
};

const hcoCrd = "hyperconvergeds.hco.kubevirt.io";

/** The same for the controller, its pages and the commands: they cannot disagree on the same facts. */
export function buildClusterFacts(hco: KubeObject | undefined, given: ClusterFactsInput): ClusterFacts {
  const { lookup, assets, images, purposesOf, ownNamespace, exclusions } = given;
  const partsOf = (kind: string): ReadParts => (selectsPools(kind, assets) ? poolRuleParts : []);
  const { crds } = lookup;
  const nodes = lookup.nodes().items;
  const schema = hco && lookup.schema(hcoCrd, hco.apiVersion.split("/")[1] ?? "");
  const fact = hco && readHco(hco, schema?.value);
  const annotations = fact?.annotations ?? {};
  const [infrastructure] = lookup.infrastructure().items;
  const [scheduler] = lookup.scheduler().items;
  const [network] = lookup.network().items;
  const seen = readHardware(nodes);
  const counted = given.countHardware?.(seen) ?? { hardware: seen, changes: [] };
  const common = {
    hardware: withHostPrefix(counted.hardware, network),
    topology: readTopology({ infrastructure, scheduler, nodes, crds }),
    images,
  };
  return {
    ...common,
    // The cluster's own Network overrides the size that nodes report.
    hardwareChanges: counted.changes.filter(
      ({ name }) => name !== "podSubnetPrefix" || common.hardware === counted.hardware,
    ),
    hco: fact,
    activation: readActivation(annotationOf(annotations, "autopilot"), given.activation, assets),
    exclusions,
    unread: unreadIn(lookup, schema?.unreadReason),
    brokenDevices: brokenDevices(annotations),
    crds,
    plans: lookup.plans().items as unknown as readonly GovernorConfig[],
    purposesOf,
    released: given.released,
    releasedUnread: given.releasedUnread,
    hasNamespace: (name) => {
      const { items, unreadReason } = lookup.namespace(name);
      return unreadReason === undefined ? items.length > 0 : undefined;
    },
    fact: (read) => factOf(read, { lookup, fact, common, ownNamespace }),
    live: (ref) => (ref.kind === "HyperConverged" ? hco : lookup.object(ref).items[0]),
    others: (apiVersion, kind) => lookup.objects(apiVersion, kind, partsOf(kind)).items,
    unlisted: ({ name, ...rest }) =>
      name === undefined
        ? lookup.objects(rest.apiVersion, rest.kind, partsOf(rest.kind)).unreadReason
        : lookup.object({ ...rest, name }).unreadReason,
    ownNamespace,
    runbookUrlTemplate: given.runbookUrlTemplate,
  };
}

/** Whether an asset yields to others' objects of the kind by the pool that they select. */
function selectsPools(kind: string, assets: readonly Asset[]): boolean {
  return assets.some(({ target, poolRule }) => poolRule !== undefined && target.kind === kind);
}

/** The schema of the HyperConverged says which of its fields this cluster has. */
function unreadIn(lookup: Lookup, schema: string | undefined): UnreadInput | undefined {
  const { nodes, infrastructure, scheduler, network, plans, crdUnreadReason } = lookup;
  const unreadReasons = {
    crds: crdUnreadReason,
    "schema of the HyperConverged": schema,
    nodes: nodes().unreadReason,
    infrastructure: infrastructure().unreadReason,
    scheduler: scheduler().unreadReason,
    network: unlessForbidden(network().unreadReason),
    plans: plans().unreadReason,
  };
  return Object.entries(unreadReasons).flatMap(([name, why]) => (why === undefined ? [] : { name, why }))[0];
}

/** Roles of an earlier release lack the right: nodes tell the size of their networks then. */
function unlessForbidden(unreadReason: string | undefined): string | undefined {
  return unreadReason !== undefined && /\bforbidden\b/i.test(unreadReason) ? undefined : unreadReason;
}

function brokenDevices(annotations: AssetHcoFact["annotations"]): readonly string[] {
  return Object.entries(deviceAnnotations).flatMap(([key, refuse]) => {
    const text = annotationOf(annotations, key);
    return text !== undefined && refuse(text) !== undefined ? [key] : [];
  });
}

type Reading = {
  readonly lookup: Lookup;
  readonly fact: AssetHcoFact | undefined;
  readonly common: Pick<ClusterFacts, "hardware" | "topology" | "images">;
  readonly ownNamespace: string;
};

const known = (value: unknown): Fact => ({ kind: "known", value: value as Extract<Fact, { kind: "known" }>["value"] });

function factOf(read: AssetRead, reading: Reading): Fact {
  const { lookup, fact, common } = reading;
  switch (read.read) {
    case "hco":
      return fact === undefined ? { kind: "unavailable", why: "there is no HyperConverged" } : known(fact);
    case "hardware":
      return whole(lookup.nodes(), () => common.hardware);
    case "topology":
      return whole(lookup.nodes(), () => common.topology);
    case "images":
      return known(common.images);
    case "schema":
      return factFromLookup(lookup.schema(read.crd, read.version));
    case "object":
      return whole(lookup.object(placeOf(read.ref, reading)), ([first]) => first);
    case "objects":
      return whole(lookup.objects(read.apiVersion, read.kind, read.parts), (items) => items);
    case "pool":
      return poolFact(lookup.pool(read.name), lookup);
  }
}

/** What is not served is absent, which is a fact; what is not listed yet is not known. */
function whole({ items, unreadReason }: ListResult, value: (items: readonly KubeObject[]) => unknown): Fact {
  return unreadReason === undefined ? known(value(items)) : { kind: "unavailable", why: unreadReason };
}

function placeOf(ref: Ref | PlacedRef, { fact, ownNamespace }: Reading): Ref {
  return placed(ref, { hcoNamespace: fact?.namespace ?? "", hcoApiVersion: fact?.apiVersion ?? "", ownNamespace });
}

function factFromLookup({ value, unreadReason }: LookupResult<unknown>): Fact {
  return unreadReason === undefined ? known(value) : { kind: "unavailable", why: unreadReason };
}

/** A pool that aims at nothing yet has no arguments that are known. */
function poolFact(listed: ListResult, { rendered }: Lookup): Fact {
  const [pool] = listed.items;
  const name = asText(at(pool, "spec", "configuration", "name"));
  const config = name === undefined ? {} : rendered(name);
  if (config.unreadReason !== undefined) return factFromLookup(config);
  const given: Json | undefined = config.value && at(config.value, "spec", "kernelArguments");
  const kernelArguments = config.value && asList(given).flatMap((one) => asText(one) ?? []);
  return whole(listed, ([first]) => first && { labels: first.metadata.labels ?? {}, kernelArguments });
}

const start = "RELATED_IMAGE_";

/** By name: RELATED_IMAGE_MY_TOOL becomes my-tool. Those without a value are left out. */
export function readImages(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([variable, image]) => {
      const isImage =
        variable.startsWith(start) && variable.length > start.length && image !== undefined && image !== "";
      return isImage ? [[variable.slice(start.length).toLowerCase().replaceAll("_", "-"), image]] : [];
    }),
  );
}
