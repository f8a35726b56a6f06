// Previews the writes of the platform controller, from files or from one read of a cluster.

import type { Profile } from "@virt/advisor";
import { activationAnnotation, configKind, type KubeObject, usualOperatorNamespaces } from "@virt/api";
import {
  autopilotInformer,
  countReported,
  followAutopilot,
  type GovernorConfig,
  isAutopilotManager,
  lastAutopilotWrite,
  type Purposes,
} from "@virt/cluster";
import type { Client, InformerSpec } from "@virt/kube";
import {
  type Asset,
  type AssetRow,
  annotationOf,
  buildClusterFacts,
  type ClusterFacts,
  didYouMean,
  enablingAnnotation,
  eventsForHyperConverged,
  followGovernance,
  governanceRecordName,
  type KnownProfiles,
  lookupIn,
  managedObjects,
  type ObservedPresence,
  type PlainFacts,
  type Preview,
  placesIn,
  previewObject,
  readConsentRecord,
  readExclusions,
  readGovernanceRecord,
  readImages,
  readObjects,
  rowsOf,
  startRecord,
  switchesIn,
} from "@virt/platform";
import { nothingReported, type ReportedState, readReportedState } from "../find-reports.ts";
import { consentInformer, governanceInformer } from "../platform-informers.ts";
import { bundledSchemas } from "./bundled-schemas.ts";
import { PreviewError, type PreviewFacts, readCluster } from "./read-cluster.ts";

/** Input files. `read` throws as Node's readFileSync does. */
export type PreviewFiles = {
  readonly hco: string;
  readonly facts: readonly string[];
  readonly read: (path: string) => string;
};

/** The catalog, the source of the cluster's objects, and settings that override those of the running controller. */
export type CatalogPreviewInput = {
  readonly catalog: { readonly assets: readonly Asset[]; readonly profiles: readonly Profile[] };
  readonly source:
    | { readonly kind: "files"; readonly files: PreviewFiles }
    | { readonly kind: "cluster"; readonly client: Client; readonly signal: AbortSignal }
    /** An earlier read of a cluster, possibly with changes whose effect is previewed. */
    | { readonly kind: "facts"; readonly read: PreviewFacts; readonly reported: ReportedState };
  /** The environment variables of the operator, such as its images. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Namespace of the platform controller. Undefined: that of its report, or the usual one. */
  readonly ownNamespace: string | undefined;
  /** Namespace of the HyperConverged. Empty: any namespace. */
  readonly hcoNamespace: string;
  /**
   * The activation mode. If undefined, it is taken from the controller's report, or without a report, the controller
   * counts as active, with a note.
   */
  readonly activation: "opt-in" | "always" | undefined;
  /** Assets to preview as if they were enabled. An empty list means all assets. Absent means the current state. */
  readonly enabling?: readonly string[];
  readonly now: number;
};

/** The previewed objects of a cluster. `notes` list assumptions that users must know. */
export type CatalogPreview = {
  readonly hco: KubeObject;
  readonly clusterFacts: ClusterFacts;
  readonly previews: readonly Preview[];
  readonly rows: readonly AssetRow[];
  readonly notes: readonly string[];
  /** The annotation value that enables the assets in `enabling`. Absent: already enabled. */
  readonly activation?: string;
};

/** Previews all assets without writing anything. Throws a PreviewError that tells the user what to fix. */
export async function previewCatalog(given: CatalogPreviewInput): Promise<CatalogPreview> {
  const { source } = given;
  const reported = await reportedBy(source, given.ownNamespace);
  const ownNamespace = given.ownNamespace ?? reported.namespace ?? usualOperatorNamespaces.platform[0];
  const input = { ...given, ownNamespace, activation: given.activation ?? reported.mode };
  const { catalog, now } = input;
  const { hco: found, facts } = await readInputs(input);
  const known = { ...input, hardwareChanges: reported.hardwareChanges };
  const activation = enablingValue(clusterFactsOf(found, facts, known), known);
  const hco = activation === undefined ? found : withActivation(found, activation);
  const clusterFacts = clusterFactsOf(hco, facts, known);
  const objects = managedObjects(catalog.assets, placesIn(hco, { ownNamespace }));
  const previews = objects.map((object) =>
    previewObject(object, { facts: clusterFacts, now, hco, unreadReason: facts.unreadReason }),
  );
  const warnings = eventsForHyperConverged(hco, clusterFacts, catalog.assets).map(({ note }) => `Warning: ${note}`);
  return {
    hco,
    clusterFacts,
    previews,
    rows: previews.flatMap(rowsOf),
    notes: [...warnings, ...activationNote(clusterFacts, input)],
    ...(activation !== undefined && { activation }),
  };
}

async function reportedBy(
  source: CatalogPreviewInput["source"],
  namespace: string | undefined,
): Promise<ReportedState> {
  if (source.kind === "facts") return source.reported;
  return source.kind === "cluster" ? readReportedState(source.client, namespace, source.signal) : nothingReported;
}

/** Without a known mode, the controller counts as idle until its annotation is set. */
function enablingValue({ activation }: ClusterFacts, input: CatalogPreviewInput): string | undefined {
  const { enabling: names, catalog, activation: mode } = input;
  if (names === undefined) return undefined;
  const isUnknown = mode === undefined && activation.source === "flag";
  const current = isUnknown ? { ...activation, isActive: false } : activation;
  return enablingAnnotation(current, { assets: catalog.assets, names });
}

function withActivation(hco: KubeObject, value: string): KubeObject {
  const annotations = { ...hco.metadata.annotations, [activationAnnotation]: value };
  return { ...hco, metadata: { ...hco.metadata, annotations } };
}

/** Throws a PreviewError that suggests the nearest name if the asset does not exist. */
export function requireAsset({ rows }: Pick<CatalogPreview, "rows">, name: string): void {
  if (rows.some(({ asset }) => asset.name === name)) return;
  const ofFeature = rows.flatMap(({ asset }) => (asset.feature.name === name ? [asset.name] : []));
  const hint =
    ofFeature.length > 0
      ? `; ${name} is a feature; its assets are ${ofFeature.join(", ")}`
      : didYouMean(
          name,
          rows.map(({ asset }) => asset.name),
        );
  throw new PreviewError(`Asset not found: ${name}${hint}`);
}

async function readInputs({ source, catalog, ownNamespace, hcoNamespace }: PlacedInput): Promise<PreviewFacts> {
  if (source.kind === "facts") return source.read;
  if (source.kind === "cluster")
    return readCluster(source.client, { hcoNamespace, ownNamespace, assets: catalog.assets, signal: source.signal });
  return readFiles(source.files, { hcoNamespace: hcoNamespace || "openshift-cnv", ownNamespace });
}

type PlacedInput = CatalogPreviewInput & { readonly ownNamespace: string };

type FactsInput = PlacedInput & Pick<ReportedState, "hardwareChanges">;

function clusterFactsOf(hco: KubeObject, facts: PlainFacts, input: FactsInput): ClusterFacts {
  const { catalog, environment, ownNamespace, activation = "always", hardwareChanges, now } = input;
  const purposesOf = (profile: string) => catalog.profiles.find(({ name }) => name === profile)?.purposes ?? [];
  const read = readExclusions(annotationOf(hco.metadata.annotations ?? {}, "disabled-resources"));
  const consent = readConsentRecord(findObject(facts, consentInformer(ownNamespace)));
  return buildClusterFacts(hco, {
    lookup: lookupIn(facts),
    assets: catalog.assets,
    activation,
    images: readImages(environment),
    purposesOf,
    ownNamespace,
    runbookUrlTemplate: environment["RUNBOOK_URL_TEMPLATE"] || undefined,
    exclusions: read.kind === "rules" ? read.rules : undefined,
    released: releasedNow(hco, facts, { catalog, ownNamespace, purposesOf }),
    releasedUnread: facts.unreadReason?.(governanceInformer(ownNamespace)),
    autopilot: autopilotIn(hco, facts, now),
    legacyConsent: consent.kind === "record" ? consent.record.legacy : undefined,
    countHardware: (seen) => countReported(seen, hardwareChanges, now),
  });
}

function findObject({ objects }: PlainFacts, { kind, name, namespace }: InformerSpec): KubeObject | undefined {
  return objects.find(
    (one) => one.kind === kind && one.metadata.name === name && (one.metadata.namespace ?? "") === (namespace ?? ""),
  );
}

/** Reads the state of the autopilot once. A controller that follows it sees a new state as early as this or earlier. */
function autopilotIn(hco: KubeObject, facts: PlainFacts, now: number): ObservedPresence {
  const spec = autopilotInformer(hco.metadata.namespace ?? "");
  const deployment = findObject(facts, spec);
  const unreadReason = facts.unreadReason?.(spec);
  const lastWriteMs = Math.max(0, ...facts.objects.map((one) => lastAutopilotWrite(one) ?? 0));
  const observed = { hco, deployment, unreadReason, lastWriteMs };
  const isPresent = deployment !== undefined || unreadReason !== undefined || isAutopilotManager(hco);
  return { memory: followAutopilot(undefined, observed, { wallMs: now, monotonicMs: now }), isPresent };
}

/** Computes the released assets as the controller does, from its record. */
function releasedNow(hco: KubeObject, { objects }: PlainFacts, { catalog, ownNamespace, purposesOf }: Recorded) {
  const ofKind = (sought: Pick<InformerSpec, "kind">) => objects.filter(({ kind }) => kind === sought.kind);
  const stored = ofKind(governanceInformer(ownNamespace)).find(
    ({ metadata }) => metadata.name === governanceRecordName,
  );
  const plans = ofKind(configKind) as unknown as readonly GovernorConfig[];
  const places = placesIn(hco, { ownNamespace });
  const seen = { assets: catalog.assets, places, plans, purposesOf, hco: switchesIn(hco) };
  const profiles = knownProfiles(catalog.profiles);
  return followGovernance(startRecord(readGovernanceRecord(stored), seen, { live: hco, profiles }), seen).released;
}

type Recorded = Pick<PlacedInput, "ownNamespace" | "catalog"> & { readonly purposesOf: Purposes };

/** Returns the profile names that decide which plan governs an asset. */
export function knownProfiles(profiles: readonly Profile[]): KnownProfiles {
  const writesHco = ({ targets }: Profile) => targets.some(({ kind }) => kind === "HyperConverged");
  return { all: profiles.map(({ name }) => name), onHco: profiles.filter(writesHco).map(({ name }) => name) };
}

/**
 * Returns a note if the preview had to assume that the operator is active, because neither the files nor --activation
 * show it.
 */
function activationNote({ activation }: ClusterFacts, { activation: mode }: CatalogPreviewInput): readonly string[] {
  if (activation.source !== "flag" || mode !== undefined) return [];
  return [
    `Note: this preview assumes an active operator. With --activation=opt-in, the operator is idle until annotation ${activationAnnotation}=true is set on the HyperConverged`,
  ];
}

const ownNamespaceKind = { apiVersion: "v1", kind: "Namespace" };

/** Reads the files. If they contain no CRDs, the kinds with bundled schemas count as installed. */
function readFiles(
  { hco: hcoFile, facts, read }: PreviewFiles,
  { hcoNamespace, ownNamespace }: Pick<PlacedInput, "hcoNamespace" | "ownNamespace">,
): PreviewFacts {
  const [hco, ...beside] = readFileObjects(hcoFile, read);
  if (hco === undefined) throw new PreviewError(`cannot read ${hcoFile}: it contains no object`);
  if (hco.kind !== "HyperConverged") throw new PreviewError(`expected kind HyperConverged, got ${hco.kind}`);
  const given = [...beside, ...facts.flatMap((file) => readFileObjects(file, read))];
  const isCrd = ({ kind }: KubeObject) => kind === "CustomResourceDefinition";
  const crds = given.filter(isCrd);
  return {
    hco: { ...hco, metadata: { ...hco.metadata, namespace: hco.metadata.namespace || hcoNamespace } },
    facts: {
      objects: [...given.filter((one) => !isCrd(one)), { ...ownNamespaceKind, metadata: { name: ownNamespace } }],
      crds: crds.length > 0 ? crds : bundledSchemas.map((text) => JSON.parse(text) as KubeObject),
    },
  };
}

function readFileObjects(file: string, readFile: (path: string) => string): readonly KubeObject[] {
  const read = readObjects(readText(file, readFile));
  if (read.kind === "refused") throw new PreviewError(`cannot read ${file}: ${read.reason}`);
  return read.objects;
}

function readText(file: string, readFile: (path: string) => string): string {
  try {
    return readFile(file);
  } catch (error) {
    const { code } = error as { readonly code?: string };
    throw new PreviewError(`cannot read ${file}: ${code === "ENOENT" ? "no such file" : String(error)}`, {
      cause: error,
    });
  }
}
