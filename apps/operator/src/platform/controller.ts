// The platform controller: which changes concern which objects, and what a pass over one does.

import { asText, at } from "@virt/engine";
import { type Controller, crdWatch, type Ending, type Reader, type Tools, type WatchSpec } from "@virt/kube";
import type { ManagedObject } from "@virt/platform";
import { discoveredNews, missingCrds } from "./discovered.ts";
import { chooseHco, contentOf } from "./hco.ts";
import { dependencies, hcoNews } from "./hco-news.ts";
import { keepObject } from "./keep.ts";
import { isHco, keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { bury, prune } from "./prune.ts";
import { type Publisher, reportKey } from "./publish.ts";
import { announce, refOf, reportHco, reportPass, tellOfHco } from "./report.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";
import { warning } from "./tell.ts";
import { unreadInputs } from "./unread.ts";
import { poolWatchOf } from "./watches.ts";

/** All objects are looked at under this key when nobody can say which one is meant. */
const everything = "everything";

export type ControllerParts = {
  readonly parts: PlatformParts;
  readonly stage: Stage;
  readonly publisher: Publisher;
  /** The set of wanted watches may be another one. */
  readonly onChange: () => void;
};

export function platformController({ parts, stage, publisher, onChange }: ControllerParts): Controller {
  const changed = (whose: "all" | readonly string[]) => {
    stage.changed(whose);
    onChange();
  };
  const keysOf = (spec: WatchSpec, isThere: "as before" | "or not") => {
    const concern = stage.concern(spec);
    if (concern.kind === "all") {
      changed("all");
      return [everything];
    }
    const { shown, readers } = concern;
    // Whether an object yields to another that serves its purpose depends on whether it is there itself.
    if (isThere === "or not") stage.changed(shown);
    if (readers.length > 0) changed(readers);
    return [...shown, ...readers];
  };
  return {
    name: "platform",
    keysFor: (spec, { before, after }) => {
      if (before === undefined || after === undefined) return keysOf(spec, "or not");
      const isItsOwn = isHco(spec) && contentOf(before) === contentOf(after); // nobody else is made from that
      return isItsOwn ? [keyOf(refOf(after))] : keysOf(spec, "as before");
    },
    keysWhen: ({ spec }) => keysOf(spec, "as before"),
    pass: async (key, tools) => {
      if (key === reportKey) return publisher.pass(stage.scene(), tools);
      const looking = { parts, stage, tools };
      const ending = await (key === everything ? lookAtAll(looking) : lookAt(key, looking));
      publisher.dirty();
      return ending;
    },
  };
}

type Looking = { readonly parts: PlatformParts; readonly stage: Stage; readonly tools: Tools };

/** The HyperConverged first: what it then says is what the others are made from. */
async function lookAtAll(looking: Looking): Promise<Ending> {
  const { stage, parts } = looking;
  const scene = stage.scene();
  const hco = scene?.objects.find(({ ref }) => isHco(ref));
  reportChoice(parts);
  if (scene === undefined || hco === undefined) return { kind: "done" };
  parts.standing.tally.begin();
  await buryAll(scene, looking);
  const ending = await lookAt(keyOf(hco.ref), looking);
  for (const { ref } of scene.objects) if (!isHco(ref)) parts.look(keyOf(ref));
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
  const { told, dueAt } = unreadInputs(key, pass.evaluated, { since: parts.standing.unreadSince, now: begun });
  reportPass(object, pass, { hco, unread: told }, parts);
  const pruned = await prune(object, pass.evaluated, { world, parts, tools });
  if (pruned !== undefined) announce(pruned, { key, hco, ref: object.ref, parts });
  if (isHco(object.ref)) reportOn(scene, parts);
  if (pass.kept.kind !== "excluded") parts.metrics.took(object.ref, (parts.clock.monotonic() - begun) / 1000);
  if (isHco(object.ref) && pass.kept.kind !== "applied") parts.standing.hcoDone = content;
  parts.standing.tally.add(key, pass.kept, pass.evaluated);
  for (const one of parts.standing.tally.news(scene.objects.length)) tellOfHco(one, hco, parts);
  if (pass.ending.kind !== "done" || dueAt === undefined) return pass.ending;
  return { kind: "again", atMs: parts.clock.wall() + dueAt - parts.clock.monotonic() };
}

function reportOn(scene: Scene, parts: PlatformParts): void {
  const { world, hco } = scene;
  const { standing, metrics, settings, assets } = parts;
  const { isActive } = world.activation;
  metrics.active(settings.activation, isActive);
  if (!isActive && standing.isActive !== false)
    parts.log.info("Autopilot not enabled, keeping idle. Set annotation to opt in.");
  standing.isActive = isActive;
  const missing = missingCrds(scene);
  for (const one of discoveredNews(standing.missingCrds, missing)) tellOfHco(one, hco, parts);
  standing.missingCrds = missing;
  reportHco(hcoNews(hco, world, assets), hco, parts);
  metrics.dependencies(dependencies(world, assets));
}

/** Whether there is anything to work from, and work to do: told when it becomes another. */
function reportChoice(parts: PlatformParts): void {
  const chosen = chooseHco(parts.find, parts.settings.hcoNamespace);
  if (chosen.kind === "several")
    reportHco(
      warning("MultipleHyperConverged", "More than one HyperConverged found, set --hco-namespace"),
      chosen.first,
      parts,
    );
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
