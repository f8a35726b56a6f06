// Finds the autopilot's objects and predicts what our controller would do with them.

import { fieldManagers, type KubeObject, managedByLabel, type Ref } from "@virt/api";
import { isAutopilotLabelled, isAutopilotManager } from "@virt/cluster";
import { type Cluster, scrubText } from "@virt/kube";
import {
  type AdoptionForecast,
  type Asset,
  type Counterpart,
  counterpartsOf,
  documentOf,
  type ExclusionRule,
  excludedBy,
  isOurs,
  objectKey,
  objectName,
  type Places,
  type Preview,
  placed,
  readOverrides,
  reasonText,
  refOfObject,
  rowsOf,
  type TheirObject,
} from "@virt/platform";
import { PreviewError } from "../preview/read-cluster.ts";

/** An object of the autopilot, and our assets with the same purpose. */
export type FoundObject = {
  readonly live: KubeObject;
  readonly assets: readonly string[];
  /** True if our object has the same kind and name. */
  readonly hasOurName: boolean;
};

/** The requests of a preview. Nothing is stored. */
export type AdoptionReads = Pick<Cluster, "read" | "dryRunApply">;

export type FindTheirsInput = {
  readonly assets: readonly Asset[];
  readonly table: readonly Counterpart[];
  readonly previews: readonly Preview[];
  readonly places: Places;
  readonly reads: AdoptionReads;
};

/** Returns the objects that are not adopted yet: first those with our names, then those of the table. */
export async function findTheirObjects(input: FindTheirsInput): Promise<readonly FoundObject[]> {
  const { assets, table, previews, places, reads } = input;
  const sameName = previews.flatMap(({ object, live }): readonly FoundObject[] => {
    if (live === undefined || !isTheirs(live)) return [];
    return [{ live, assets: object.assets.map(({ name }) => name), hasOurName: true }];
  });
  const ours = new Set(previews.map(({ object }) => objectKey(object.ref)));
  const others = table.flatMap((entry) => {
    const named = assets.filter((asset) => counterpartsOf(asset, [entry]).length > 0).map(({ name }) => name);
    return entry.theirs.map((ref) => ({ ref: placed(ref, places), assets: named }));
  });
  const read = others
    .filter(({ ref }) => !ours.has(objectKey(ref)))
    .map(async ({ ref, assets: named }): Promise<readonly FoundObject[]> => {
      const live = await readTheirs(ref, reads);
      return live !== undefined && isTheirs(live) ? [{ live, assets: named, hasOurName: false }] : [];
    });
  return [...sameName, ...(await Promise.all(read)).flat()];
}

/** Reports whether the autopilot applied the object last, even if it is unmanaged now. */
function isTheirs(object: KubeObject): boolean {
  if (isOurs(object) || object.metadata.labels?.[managedByLabel.key] === managedByLabel.value) return false;
  return isAutopilotLabelled(object) || isAutopilotManager(object);
}

async function readTheirs(ref: Ref, { read }: AdoptionReads): Promise<KubeObject | undefined> {
  const result = await read(ref);
  if (result.kind === "found") return result.object;
  if (result.kind === "rejected" || result.kind === "unavailable")
    throw new PreviewError(`cannot read ${objectName(ref)}: ${scrubText(result.message)}`);
  return undefined;
}

export type ForecastInput = {
  /** Previews of a cluster in which everything is adopted and replaced. */
  readonly previews: readonly Preview[];
  /** Undefined if the rules are invalid. */
  readonly exclusions: readonly ExclusionRule[] | undefined;
  readonly reads: AdoptionReads;
};

/** Adds the result of our dry run. Throws a PreviewError if the user may not patch the object. */
export async function forecastAdoption(found: FoundObject, input: ForecastInput): Promise<FoundObject & TheirObject> {
  const { live, assets, hasOurName } = found;
  const isNamed = ({ name }: Asset) => assets.includes(name);
  const own = input.previews.filter(({ object }) => object.assets.some(isNamed));
  const left = (why: string) => ({ ...found, ours: own.map(({ object }) => object.ref), forecast: notApplied(why) });
  if (readOverrides(live).isUnmanaged) return left("it is unmanaged");
  const rule = excludedBy(input.exclusions ?? [], refOfObject(live));
  if (rule !== undefined) return left(`rule ${rule} of annotation disabled-resources`);
  const [first] = own;
  if (first === undefined) return left("none of our assets serves its purpose");
  if (hasOurName) {
    const included = rowsOf(first).flatMap(({ asset, status }) => (status === "INCLUDED" ? [asset.name] : []));
    const named = included.length === 0 ? assets : included;
    return { ...found, assets: named, ours: [first.object.ref], forecast: await predictAdopted(first, input.reads) };
  }
  const applied = own.flatMap((preview) => {
    const document = documentOf(preview);
    const isIncluded = rowsOf(preview).some(({ asset, status }) => isNamed(asset) && status === "INCLUDED");
    return document === undefined || !isIncluded ? [] : [{ document, isNew: preview.live === undefined }];
  });
  if (applied.length === 0) return left(exclusionReason(own, assets));
  const objects = applied.flatMap(({ document, isNew }) => (isNew ? [document] : []));
  return {
    ...found,
    ours: applied.map(({ document }) => refOfObject(document)),
    forecast: { kind: "other-name", objects },
  };
}

function notApplied(why: string): AdoptionForecast {
  return { kind: "not-applied", why };
}

function exclusionReason(previews: readonly Preview[], assets: readonly string[]): string {
  const rows = previews.flatMap(rowsOf).filter(({ asset }) => assets.includes(asset.name));
  return rows.map(reasonText).find((text) => text !== "") ?? "virt-platform-operator does not apply it";
}

async function predictAdopted(preview: Preview, { dryRunApply }: AdoptionReads): Promise<AdoptionForecast> {
  const document = documentOf(preview);
  const { object, live, decided } = preview;
  if (document === undefined)
    return notApplied(
      exclusionReason(
        [preview],
        object.assets.map(({ name }) => name),
      ),
    );
  if (decided?.decision.kind === "apply" && decided.decision.apply.removals.length > 0)
    return notApplied("virt-platform-operator needs two requests, which a dry run cannot combine");
  const expect = { uid: live?.metadata.uid ?? "" };
  const outcome = await dryRunApply(document, { manager: fieldManagers.platform, force: true, expect });
  const name = objectName(object.ref);
  switch (outcome.kind) {
    case "done":
      if (outcome.live === undefined) return notApplied("the dry run returned no object");
      return { kind: "predicted", object: outcome.live };
    case "rejected":
      if (outcome.reason === "Forbidden") throw new PreviewError(`cannot patch ${name}: ${scrubText(outcome.message)}`);
      return notApplied(`the API server rejects our object: ${scrubText(outcome.message)}`);
    case "unavailable":
      throw new PreviewError(`cannot check ${name} with a dry run: ${scrubText(outcome.message)}`);
    case "missing":
      return notApplied(`its ${outcome.what} does not exist`);
    case "stale":
    case "conflict":
      throw new PreviewError(`${name} was modified during the preview. Run the command again`);
  }
}
