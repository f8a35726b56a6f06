// The platform controller: which changes concern which objects, and what a pass over one does.

import type { KubeObject } from "@virt/api";
import { asText, at } from "@virt/engine";
import { type Controller, crdWatch, type Ending, type Tools, type WatchSpec } from "@virt/kube";
import {
  annotationOf,
  evaluateObject,
  type ManagedObject,
  readExclusions,
  shapeFrom,
  type World,
} from "@virt/platform";
import { configWatch } from "../advisor/watches.ts";
import { chooseHco, contentOf } from "./hco.ts";
import { dependencies, hcoNews } from "./hco-news.ts";
import { keepObject } from "./keep.ts";
import { isHco, keyOf, managedObjects } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { bury, prune } from "./prune.ts";
import { announce, reportHco, reportPass } from "./report.ts";
import {
  hcoWatchesFor,
  infrastructureWatch,
  managedWatch,
  nodeWatch,
  objectWatches,
  poolWatchOf,
  schedulerWatch,
} from "./watches.ts";
import { buildWorld } from "./world.ts";

/** All objects are looked at under this key when nobody can say which one is meant. */
const everything = "everything";

export function platformController(parts: PlatformParts, onChange: () => void): Controller {
  return {
    name: "platform",
    keysFor: (spec) => {
      onChange();
      const target = objectsNow(parts).find(({ ref }) =>
        isSameWatch(managedWatch(ref, parts.settings.hcoNamespace), spec),
      );
      return target === undefined || isHco(target.ref) ? [everything] : [keyOf(target.ref)];
    },
    keysWhen: () => {
      onChange();
      return [everything];
    },
    pass: async (key, tools) => {
      const ending = key === everything ? await lookAtAll(parts, tools) : await lookAt(key, parts, tools);
      onChange();
      return ending;
    },
  };
}

function isSameWatch(left: WatchSpec, right: WatchSpec): boolean {
  return left.kind === right.kind && left.name === right.name && left.apiVersion === right.apiVersion;
}

function objectsNow(parts: PlatformParts): readonly ManagedObject[] {
  const hco = chooseHco(parts.find, parts.settings.hcoNamespace);
  if (hco.kind !== "found") return [];
  const { apiVersion, metadata } = hco.object;
  const places = {
    hcoNamespace: metadata.namespace ?? "",
    hcoApiVersion: apiVersion,
    ownNamespace: parts.ownNamespace,
  };
  return managedObjects(parts.assets, places);
}

/** Inputs while there is an HyperConverged; targets and what their assets read while they may be applied. */
export function wantedWatches(parts: PlatformParts): readonly WatchSpec[] {
  const namespace = parts.settings.hcoNamespace;
  const [newest, older] = hcoWatchesFor(namespace);
  if (newest === undefined || older === undefined) return [];
  const hcos = parts.find(newest)?.state === "not served" ? [newest, older] : [newest];
  const hco = chooseHco(parts.find, namespace);
  if (hco.kind !== "found") return hcos;
  const world = worldNow(hco.object, parts);
  if (!world.activation.isActive) return hcos;
  const places = {
    hcoNamespace: hco.object.metadata.namespace ?? "",
    hcoApiVersion: hco.object.apiVersion,
    ownNamespace: parts.ownNamespace,
  };
  const targets = objectsNow(parts).filter((object) => isOfUse(object, world));
  const inputs = [configWatch, nodeWatch, infrastructureWatch, schedulerWatch];
  return [...hcos, ...inputs, ...targets.flatMap((object) => objectWatches(object, places))];
}

/** Some asset of it may be applied here, as far as that can be told without looking at its inputs. */
function isOfUse(object: ManagedObject, world: World): boolean {
  const { standings } = evaluateObject(object, world, shapeFrom(undefined));
  const idle = new Set([
    "HCOMissing",
    "NotActivated",
    "NotListed",
    "SwitchedOff",
    "ConditionNotMet",
    "RootExclusion",
    "CRDMissing",
  ]);
  return [...standings.values()].some((standing) => standing.kind !== "excluded" || !idle.has(standing.reason));
}

function worldNow(hco: KubeObject, parts: PlatformParts): World {
  const text = annotationOf(hco.metadata.annotations ?? {}, "disabled-resources");
  const read = readExclusions(text);
  const { standing } = parts;
  if (read.kind === "rules") standing.exclusions = read.rules;
  return buildWorld(hco, { ...parts, activation: parts.settings.activation, exclusions: standing.exclusions });
}

/** The HyperConverged first: what it then says is what the others are made from. */
async function lookAtAll(parts: PlatformParts, tools: Tools): Promise<Ending> {
  const objects = objectsNow(parts);
  const hco = objects.find(({ ref }) => isHco(ref));
  if (hco === undefined) return { kind: "done" };
  await buryAll(parts, tools);
  const ending = await lookAt(keyOf(hco.ref), parts, tools);
  for (const { ref } of objects) if (!isHco(ref)) parts.look(keyOf(ref));
  return ending;
}

/** What earlier releases applied goes first, best effort; what is done with costs no further request. */
async function buryAll(parts: PlatformParts, tools: Tools): Promise<void> {
  const hco = chooseHco(parts.find, parts.settings.hcoNamespace);
  if (hco.kind !== "found" || !worldNow(hco.object, parts).activation.isActive) return;
  for (const tombstone of parts.tombstones) {
    const key = keyOf(tombstone);
    if (parts.standing.buried.has(key)) continue;
    const { state, told } = await bury(tombstone, { tools });
    parts.metrics.buried(tombstone, state);
    if (state !== -1) parts.standing.buried.add(key);
    if (told !== undefined) announce(told, { key, hco: hco.object, ref: tombstone, parts });
  }
}

async function lookAt(key: string, parts: PlatformParts, tools: Tools): Promise<Ending> {
  const begun = parts.clock.monotonic();
  const object = objectsNow(parts).find(({ ref }) => keyOf(ref) === key);
  const hco = chooseHco(parts.find, parts.settings.hcoNamespace);
  if (object === undefined || hco.kind !== "found") return { kind: "done" };
  const content = contentOf(hco.object);
  if (!isHco(object.ref) && parts.standing.hcoDone !== content) return { kind: "done" };
  await loadInputs(object, parts, tools);
  const world = worldNow(hco.object, parts);
  parts.metrics.active(parts.settings.activation, world.activation.isActive);
  const pass = await keepObject(object, world, parts, tools);
  reportPass(object, pass, hco.object, parts);
  const pruned = await prune(object, pass.evaluated, { world, parts, tools });
  if (pruned !== undefined) announce(pruned, { key, hco: hco.object, ref: object.ref, parts });
  if (isHco(object.ref)) {
    reportHco(hcoNews(hco.object, world, parts.assets), hco.object, parts);
    parts.metrics.dependencies(dependencies(world, parts.assets));
  }
  parts.metrics.took(object.ref, (parts.clock.monotonic() - begun) / 1000);
  if (isHco(object.ref) && pass.kept.kind !== "applied") parts.standing.hcoDone = content;
  return pass.ending;
}

/** Schemas and rendered configurations, which are read once and kept. */
async function loadInputs({ assets, ref }: ManagedObject, parts: PlatformParts, { cluster }: Tools): Promise<void> {
  const version = ref.apiVersion.split("/").at(-1) ?? "";
  const crds = assets.flatMap(({ target, reads }) => [
    ...(target.crd === undefined ? [] : [{ crd: target.crd, version }]),
    ...Object.values(reads).flatMap((read) =>
      read.read === "schema" ? [{ crd: read.crd, version: read.version }] : [],
    ),
  ]);
  const pools = assets.flatMap(({ reads }) =>
    Object.values(reads).flatMap((read) => (read.read === "pool" ? [read.name] : [])),
  );
  const rendered = pools.flatMap((name) => {
    const pool = [...(parts.find(poolWatchOf(name))?.store.items() ?? [])][0];
    return asText(at(pool, "spec", "configuration", "name")) ?? [];
  });
  const isInstalled = ({ crd }: { readonly crd: string }) => parts.find(crdWatch)?.store.get(crd) !== undefined;
  await Promise.all([
    ...crds.filter(isInstalled).map((one) => parts.remembered.schema(one.crd, one.version, cluster)),
    ...rendered.map((name) => parts.remembered.rendered(name, cluster)),
  ]);
}
