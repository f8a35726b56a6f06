import { activationAnnotation, autopilotAnnotation, type KubeObject, type Ref } from "@virt/api";
import {
  type AutopilotMemory,
  type CountedHardware,
  type GovernorConfig,
  type Hardware,
  type HardwareChange,
  type Purposes,
  poolRuleParts,
  type ReadParts,
  readHardware,
  readMachineConfig,
  readMachineConfigPool,
  readTopology,
  type Topology,
  withHostPrefix,
} from "@virt/cluster";
import { asText } from "@virt/objects";
import { type Activation, type ActivationMode, decideActivation } from "../activation.ts";
import type { Asset, AssetFactOf, AssetRead, PlacedRef } from "../asset.ts";
import { type AutopilotFact, autopilotFactOf } from "../autopilot/manager.ts";
import type { LegacyConsent } from "../consent/legacy-consent.ts";
import { deviceAnnotations } from "../devices.ts";
import type { ExclusionRule } from "../disabled-resources.ts";
import type { ReleasedAsset } from "../governance/governance-record.ts";
import { annotationOf, exactAnnotation } from "../hco-annotations.ts";
import { type AssetHcoFact, readHco } from "../hco-fact.ts";
import type { UnreadInput } from "./asset-status.ts";
import type { ListResult, Lookup, LookupResult } from "./lookup.ts";
import { placed } from "./managed-objects.ts";

/** A fact, or the reason why its read failed. A failed read is not an empty one. */
export type Fact =
  | { readonly kind: "known"; readonly value: AssetFactOf<AssetRead> }
  | { readonly kind: "unavailable"; readonly why: string };

/** The known facts of the cluster at one time. Its functions read caches and never throw. */
export type ClusterFacts = {
  /** The HyperConverged in use. Undefined if there is none or it is ambiguous. */
  readonly hco: AssetHcoFact | undefined;
  readonly activation: Activation;
  readonly autopilot: AutopilotFact;
  /** An input that every asset needs and that could not be read. While it is set, objects that appear to be absent may exist. */
  readonly unread: UnreadInput | undefined;
  /** The last valid rules. Undefined if there have been none since the start, in which case nothing may be written. */
  readonly exclusions: readonly ExclusionRule[] | undefined;
  readonly brokenDevices: readonly string[];
  readonly hardware: Hardware;
  /** Hardware changes that are too recent to take effect. */
  readonly hardwareChanges: readonly HardwareChange[];
  readonly topology: Topology;
  readonly images: Readonly<Record<string, string>>;
  readonly crds: ReadonlySet<string>;
  readonly plans: readonly GovernorConfig[];
  readonly purposesOf: Purposes;
  /** Assets that a plan governed and that no user has requested since, by name. */
  readonly released: Readonly<Record<string, ReleasedAsset>>;
  readonly releasedUnread?: string | undefined;
  /** Undefined if it is not known yet. */
  readonly hasNamespace: (name: string) => boolean | undefined;
  readonly fact: (read: AssetRead) => Fact;
  readonly live: (ref: Ref) => KubeObject | undefined;
  /** Returns the metadata of all objects of a kind. */
  readonly others: (apiVersion: string, kind: string) => readonly KubeObject[];
  /** Returns why it is unknown whether the object exists, or without a name, whether any object of the kind exists. */
  readonly unlisted: (sought: Omit<Ref, "name"> & Partial<Ref>) => string | undefined;
  readonly ownNamespace: string;
  readonly runbookUrlTemplate?: string | undefined;
};

/** The inputs of `buildClusterFacts`: reads of the cluster and settings of the operator. */
export type ClusterFactsInput = {
  readonly lookup: Lookup;
  readonly assets: readonly Asset[];
  readonly activation: ActivationMode;
  readonly images: Readonly<Record<string, string>>;
  readonly purposesOf: Purposes;
  readonly ownNamespace: string;
  readonly runbookUrlTemplate?: string | undefined;
  readonly exclusions: readonly ExclusionRule[] | undefined;
  readonly released: Readonly<Record<string, ReleasedAsset>>;
  readonly releasedUnread?: string | undefined;
  /** Absent: virt-platform-autopilot is not installed and never was. */
  readonly autopilot?: ObservedPresence | undefined;
  readonly legacyConsent?: LegacyConsent | undefined;
  /** Returns the hardware in effect for the current nodes. Absent: changes take effect immediately. */
  readonly countHardware?: ((seen: Hardware) => CountedHardware) | undefined;
};

/** The state of virt-platform-autopilot. `isPresent`: it is installed, was installed, or cannot be looked up. */
export type ObservedPresence = { readonly memory: AutopilotMemory; readonly isPresent: boolean };

const notPresent: ObservedPresence = { memory: { state: "Absent", sinceMs: 0 }, isPresent: false };

const hcoCrd = "hyperconvergeds.hco.kubevirt.io";

/** Builds the facts for the controller, its pages and the commands, so that they agree. */
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
  const { memory, isPresent } = given.autopilot ?? notPresent;
  const common = {
    hardware: withHostPrefix(counted.hardware, network),
    topology: readTopology({ infrastructure, scheduler, nodes, crds }),
    images,
  };
  return {
    ...common,
    // The cluster's Network overrides the prefix of the nodes.
    hardwareChanges: counted.changes.filter(
      ({ name }) => name !== "podSubnetPrefix" || common.hardware === counted.hardware,
    ),
    hco: fact,
    activation: decideActivation(
      {
        key: exactAnnotation(annotations, activationAnnotation),
        autopilot: exactAnnotation(annotations, autopilotAnnotation),
        isAutopilotPresent: isPresent,
        consent: given.legacyConsent,
      },
      given.activation,
      assets,
    ),
    autopilot: autopilotFactOf(memory, hco?.metadata.namespace ?? ""),
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

function selectsPools(kind: string, assets: readonly Asset[]): boolean {
  return assets.some(({ target, poolRule }) => poolRule !== undefined && target.kind === kind);
}

/** Returns the first unread input. Includes the schema, because it determines the HyperConverged's fields. */
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

/** Ignores a forbidden read: roles of earlier releases do not allow it, and nodes report their network size instead. */
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
    case "served":
      return factFromLookup(lookup.served(read.crd, read.version));
    case "object":
      return whole(lookup.object(placeOf(read.ref, reading)), ([first]) => first);
    case "objects":
      return whole(lookup.objects(read.apiVersion, read.kind, read.parts), (items) => items);
    case "pool":
      return poolFact(lookup.pool(read.name), lookup);
  }
}

/** Returns the value, or the reason why the list is unread. A kind that is not served is certainly absent. */
function whole({ items, unreadReason }: ListResult, value: (items: readonly KubeObject[]) => unknown): Fact {
  return unreadReason === undefined ? known(value(items)) : { kind: "unavailable", why: unreadReason };
}

function placeOf(ref: Ref | PlacedRef, { fact, ownNamespace }: Reading): Ref {
  return placed(ref, { hcoNamespace: fact?.namespace ?? "", hcoApiVersion: fact?.apiVersion ?? "", ownNamespace });
}

function factFromLookup({ value, unreadReason }: LookupResult<unknown>): Fact {
  return unreadReason === undefined ? known(value) : { kind: "unavailable", why: unreadReason };
}

function poolFact(listed: ListResult, { rendered }: Lookup): Fact {
  const [pool] = listed.items;
  const name = pool && readMachineConfigPool(pool).target.name;
  const config = name === undefined ? {} : rendered(name);
  if (config.unreadReason !== undefined) return factFromLookup(config);
  const kernelArguments =
    config.value && readMachineConfig(config.value).kernelArguments.flatMap((one) => asText(one) ?? []);
  return whole(listed, ([first]) => first && { labels: first.metadata.labels ?? {}, kernelArguments });
}

const start = "RELATED_IMAGE_";

/** Returns the images by name: RELATED_IMAGE_MY_TOOL becomes my-tool. Skips empty values. */
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
