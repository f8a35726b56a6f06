// Decides what an adoption would do, with the controller's own code.

import { activationAnnotation, autopilotAnnotation, type Json, type KubeObject } from "@virt/api";
import { canonicalJson, sha256 } from "@virt/objects";
import {
  type AdoptedObject,
  type AdoptionPlan,
  type AdoptionRow,
  type Asset,
  adoptionKey,
  adoptionRow,
  annotationOf,
  annotationPatch,
  annotationPrefix,
  type Counterpart,
  disruptionOfWrites,
  type NodeFacts,
  type NodeWrite,
  nodeWriteOf,
  objectAnnotations,
  objectKey,
  type Places,
  type Preview,
  refOfObject,
  replacingWrites,
  rowsOf,
  shapeOfObject,
  type TheirObject,
} from "@virt/platform";
import { type CatalogPreview, requireAsset } from "../preview/preview-catalog.ts";
import type { Assumptions } from "./assumed-facts.ts";
import { type AdoptionReads, type FoundObject, findTheirObjects, forecastAdoption } from "./their-objects.ts";

/** One read of a cluster. `preview` evaluates it with our controller's code. */
export type ReadCluster = {
  readonly hco: KubeObject;
  readonly places: Places;
  /** False if the autopilot has no Deployment or no replicas. */
  readonly isAutopilotInstalled: boolean;
  readonly nodes: NodeFacts;
  readonly preview: (assumed?: Assumptions) => Promise<CatalogPreview>;
  readonly reads: AdoptionReads;
};

export type AdoptionRequest = {
  readonly assets: readonly Asset[];
  readonly table: readonly Counterpart[];
  /** Assets that replace their counterparts, although nodes reboot. */
  readonly replaced: readonly string[];
};

export type AdoptionDecision = {
  readonly rows: readonly AdoptionRow[];
  /** Assets without a counterpart that our controller also applies. They reboot no node. */
  readonly added: readonly string[];
  /** Assets without a counterpart that would reboot nodes. They stay off. */
  readonly later: readonly string[];
  readonly plan: AdoptionPlan;
  /** The writes of MachineConfigs and KubeletConfigs that replace theirs. */
  readonly writes: readonly NodeWrite[];
  /** False if there is nothing to adopt. */
  readonly isNeeded: boolean;
  /** Identifies the content of the decision. */
  readonly digest: string;
  /** The cluster as it is. */
  readonly current: CatalogPreview;
};

/** Writes nothing. Throws a PreviewError that tells the user what to fix. */
export async function decideAdoption(cluster: ReadCluster, request: AdoptionRequest): Promise<AdoptionDecision> {
  const { hco, places, nodes, reads } = cluster;
  const { assets, table } = request;
  const current = await cluster.preview();
  for (const name of request.replaced) requireAsset(current, name);
  const found = await findTheirObjects({ assets, table, previews: current.previews, places, reads });
  const ideal = await cluster.preview(assumeAdopted(found, switchesOf(found, assets, hco)));
  const { previews } = ideal;
  const { exclusions } = ideal.clusterFacts;
  const theirs = await Promise.all(found.map((one) => forecastAdoption(one, { previews, exclusions, reads })));
  const replaced = new Set([...request.replaced, ...startedReplacements(theirs)]);
  const rows = theirs.map((one) => adoptionRow(one, replaced, nodes));
  const chosen = theirs.flatMap((one, at) => chosenObject(one, rows[at]));
  const switches = switchesOf(chosen, assets, hco);
  const final = await cluster.preview(assumeAdopted(chosen, switches, activeKey(current, chosen)));
  const { key, keyWithReplaced, added, later } = chooseAssets({ current, final, chosen });
  const writes = chosen.flatMap(({ live, forecast, action }) =>
    action === "replace" ? replacingWrites(live, forecast) : [],
  );
  const plan: AdoptionPlan = {
    hco,
    annotations: { [autopilotAnnotation]: "false", [activationAnnotation]: key, ...switches },
    takeOver: chosen.flatMap((one) => (one.action === "take over" ? adoptedObject(one) : [])),
    overwrite: chosen.flatMap((one) => (one.action === "replace" ? adoptedObject(one) : [])),
    replace: chosen.flatMap(({ live, ours, action, hasOurName }) =>
      action === "replace" && !hasOurName ? [{ theirs: live, ours }] : [],
    ),
    keyWithReplaced,
    pools: disruptionOfWrites(writes, nodes.pools, nodes.policies).map(({ pool }) => pool),
  };
  const isSwitched = annotationPatch(hco, plan.annotations).length === 0;
  const shown = [rows, plan.annotations, keyWithReplaced, added, later] as unknown as Json;
  return {
    rows,
    added,
    later,
    plan,
    writes,
    isNeeded: chosen.length > 0 || (cluster.isAutopilotInstalled && !isSwitched),
    digest: sha256(canonicalJson(shown)).slice(0, 12),
    current,
  };
}

type ChosenObject = FoundObject & TheirObject & Pick<AdoptionRow, "action">;

function chosenObject(theirs: FoundObject & TheirObject, row: AdoptionRow | undefined): readonly ChosenObject[] {
  return row === undefined || row.action === "keep" ? [] : [{ ...theirs, action: row.action }];
}

function adoptedObject({ live, forecast }: ChosenObject): readonly AdoptedObject[] {
  return forecast.kind === "predicted" ? [{ live, predicted: forecast.object }] : [];
}

/** A marked object is being replaced by an earlier run. */
function startedReplacements(theirs: readonly TheirObject[]): readonly string[] {
  return theirs.flatMap(({ live, assets }) =>
    live.metadata.annotations?.[objectAnnotations.adopt] === "replace" ? assets : [],
  );
}

/** Returns the switches that the assets need but that are off by default, because the autopilot always applies these. */
function switchesOf(
  objects: readonly Pick<FoundObject, "assets">[],
  assets: readonly Asset[],
  { metadata: { annotations = {} } }: KubeObject,
): Readonly<Record<string, string>> {
  const named = new Set(objects.flatMap((one) => one.assets));
  const keys = assets.flatMap(({ name, adoption, switch: declared }) => {
    // The autopilot applies no fields to a shared object.
    if (!named.has(name) || adoption !== "whole" || declared === undefined || !("annotation" in declared)) return [];
    const isUnset = annotationOf(annotations, declared.annotation) === undefined;
    return declared.default === "off" && isUnset ? [`${annotationPrefix}${declared.annotation}`] : [];
  });
  return Object.fromEntries(keys.map((key) => [key, "true"]));
}

/** Assumes that our controller is active and that these objects are taken over or gone. */
function assumeAdopted(
  objects: readonly Pick<FoundObject, "live" | "hasOurName">[],
  switches: Readonly<Record<string, string>>,
  key = "true",
): Assumptions {
  const keyOf = ({ live }: Pick<FoundObject, "live">) => objectKey(refOfObject(live));
  const own = objects.filter(({ hasOurName }) => hasOurName);
  const others = objects.filter(({ hasOurName }) => !hasOurName);
  return {
    annotations: { [autopilotAnnotation]: "false", [activationAnnotation]: key, ...switches },
    onObjects: new Map(own.map((one) => [keyOf(one), { [objectAnnotations.adopt]: "true" }])),
    without: new Set(others.map(keyOf)),
  };
}

/** A list of the user stays a list, so that nothing else is enabled. */
function activeKey({ clusterFacts: { activation } }: CatalogPreview, chosen: readonly ChosenObject[]): string {
  if (!activation.isActive || activation.listed === undefined) return "true";
  return [...activation.listed, ...chosen.flatMap(({ assets }) => assets)].join(",");
}

type ChooseAssetsInput = {
  readonly current: CatalogPreview;
  readonly final: CatalogPreview;
  readonly chosen: readonly ChosenObject[];
};

function chooseAssets({ current, final, chosen }: ChooseAssetsInput) {
  const inForce = includedIn(current.previews);
  const included = includedIn(final.previews);
  const assetsOf = (action: AdoptionRow["action"]) => {
    const named = chosen.flatMap((one) => (one.action === action ? one.assets : []));
    return included.filter((asset) => named.includes(asset));
  };
  const [adopted, replaced] = [assetsOf("take over"), assetsOf("replace")];
  const known = new Set([...inForce, ...adopted, ...replaced]);
  const isNew = (asset: string) => !known.has(asset);
  const later = includedIn(final.previews.filter((preview) => isNodeWrite(preview, final))).filter(isNew);
  const added = included.filter((asset) => isNew(asset) && !later.includes(asset));
  const { activation } = current.clusterFacts;
  const given = { activation, inForce, added, later };
  return {
    key: adoptionKey({ ...given, adopted }),
    keyWithReplaced: adoptionKey({ ...given, adopted: [...adopted, ...replaced] }),
    added,
    later,
  };
}

function includedIn(previews: readonly Preview[]): readonly string[] {
  return previews.flatMap(rowsOf).flatMap(({ asset, status }) => (status === "INCLUDED" ? [asset.name] : []));
}

function isNodeWrite({ object, live, decided }: Preview, { clusterFacts }: CatalogPreview): boolean {
  if (decided === undefined) return false;
  const shapeOf = shapeOfObject(object, clusterFacts);
  return nodeWriteOf(object, decided.decision, { live, shapeOf }) !== undefined;
}
