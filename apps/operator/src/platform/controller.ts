// The platform controller: which changes concern which objects, and what a pass over one does.

import { asText, at } from "@virt/engine";
import { type Controller, crdWatch, type Ending, type Reader, type Tools } from "@virt/kube";
import type { ManagedObject } from "@virt/platform";
import { dependencies, hcoNews } from "./hco-news.ts";
import { keepObject } from "./keep.ts";
import { isHco, keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { bury, prune } from "./prune.ts";
import { announce, reportHco, reportPass } from "./report.ts";
import type { Scene, Stage } from "./scene.ts";
import { poolWatchOf } from "./watches.ts";

/** All objects are looked at under this key when nobody can say which one is meant. */
const everything = "everything";

/** `onChange` is called whenever the set of wanted watches may be another one. */
export function platformController(parts: PlatformParts, stage: Stage, onChange: () => void): Controller {
  const changed = () => {
    stage.changed();
    onChange();
    return [everything];
  };
  return {
    name: "platform",
    // A change of a target is no change of an input, unless the target is what all is made from.
    keysFor: (spec) => {
      const key = stage.keyOf(spec);
      return key === undefined || spec.kind === "HyperConverged" ? changed() : [key];
    },
    keysWhen: changed,
    pass: (key, tools) =>
      key === everything ? lookAtAll({ parts, stage, tools }) : lookAt(key, { parts, stage, tools }),
  };
}

type Looking = { readonly parts: PlatformParts; readonly stage: Stage; readonly tools: Tools };

/** The HyperConverged first: what it then says is what the others are made from. */
async function lookAtAll(looking: Looking): Promise<Ending> {
  const scene = looking.stage.scene();
  const hco = scene?.objects.find(({ ref }) => isHco(ref));
  if (scene === undefined || hco === undefined) return { kind: "done" };
  await buryAll(scene, looking);
  const ending = await lookAt(keyOf(hco.ref), looking);
  for (const { ref } of scene.objects) if (!isHco(ref)) looking.parts.look(keyOf(ref));
  return ending;
}

/** What earlier releases applied goes first, best effort; what is done with costs no further request. */
async function buryAll({ world, hco }: Scene, { parts, tools }: Looking): Promise<void> {
  if (!world.activation.isActive) return;
  for (const tombstone of parts.tombstones) {
    const key = keyOf(tombstone);
    if (parts.standing.buried.has(key)) continue;
    const { state, told } = await bury(tombstone, { tools });
    parts.metrics.buried(tombstone, state);
    if (state !== -1) parts.standing.buried.add(key);
    if (told !== undefined) announce(told, { key, hco, ref: tombstone, parts });
  }
}

async function lookAt(key: string, { parts, stage, tools }: Looking): Promise<Ending> {
  const begun = parts.clock.monotonic();
  const found = stage.scene()?.object(key);
  if (found === undefined) return { kind: "done" };
  await loadInputs(found, parts, tools);
  const scene = stage.scene();
  const object = scene?.object(key);
  if (scene === undefined || object === undefined) return { kind: "done" };
  if (!isHco(object.ref) && parts.standing.hcoDone !== scene.content) return { kind: "done" };
  const { world, hco, content } = scene;
  const pass = await keepObject(object, scene, parts, tools);
  reportPass(object, pass, hco, parts);
  const pruned = await prune(object, pass.evaluated, { world, parts, tools });
  if (pruned !== undefined) announce(pruned, { key, hco, ref: object.ref, parts });
  if (isHco(object.ref)) reportOn(scene, parts);
  parts.metrics.took(object.ref, (parts.clock.monotonic() - begun) / 1000);
  if (isHco(object.ref) && pass.kept.kind !== "applied") parts.standing.hcoDone = content;
  return pass.ending;
}

function reportOn({ world, hco }: Scene, parts: PlatformParts): void {
  parts.metrics.active(parts.settings.activation, world.activation.isActive);
  reportHco(hcoNews(hco, world, parts.assets), hco, parts);
  parts.metrics.dependencies(dependencies(world, parts.assets));
}

/** Schemas and rendered configurations, which are read once and kept. */
export async function loadInputs(
  { assets, ref }: ManagedObject,
  parts: PlatformParts,
  { cluster }: { readonly cluster: Reader },
): Promise<void> {
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
