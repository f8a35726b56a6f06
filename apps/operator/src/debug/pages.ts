// The debug pages: the controller's own evaluation of what it sees now. They change nothing and ask for little.

import { type Reader, type Reply, type Routes, scrubText } from "@virt/kube";
import {
  exclusionsOf,
  type Feature,
  factsOf,
  featureRows,
  featureStates,
  objectRow,
  type Preview,
  previewObject,
  renderDocuments,
  renderEntries,
  rowsOf,
} from "@virt/platform";
import { loadInputs } from "../platform/controller.ts";
import { keyOf } from "../platform/objects.ts";
import type { PlatformParts } from "../platform/parts.ts";
import type { Scene, Stage } from "../platform/scene.ts";
import { managedWatch } from "../platform/watches.ts";
import { page } from "./page.ts";

export type DebugParts = {
  readonly parts: PlatformParts;
  readonly stage: Stage;
  readonly features: readonly Feature[];
  readonly operatorOf: (crd: string) => string;
  readonly reader: (signal: AbortSignal) => Reader;
};

/** Every replica has them: what a standby has not read yet is read when somebody asks. */
export function debugPages(debug: DebugParts): Routes {
  const show = page(async (signal) => seen(debug, signal));
  const { parts, features, operatorOf } = debug;
  return {
    "/debug/render": show(({ previews }, { query }, print) =>
      print.documents(
        renderEntries(previews, { showExcluded: query.get("show-excluded") === "true" }),
        renderDocuments,
      ),
    ),
    "/debug/render/": show(({ previews }, { rest }, print) =>
      isAsset(previews, rest)
        ? print.documents(renderEntries(previews, { asset: rest, showExcluded: true }), renderDocuments)
        : notFound(rest),
    ),
    "/debug/exclusions": show(({ previews }, _, print) => print.value(exclusionsOf(previews.flatMap(rowsOf)))),
    "/debug/objects": show(({ previews }, _, print) =>
      print.value(previews.map((preview) => objectRow(preview, lastError(preview, parts)))),
    ),
    "/debug/features": show(({ previews }, _, print) =>
      print.value(featureStates(featureRows({ features, assets: parts.assets, operatorOf }), previews.flatMap(rowsOf))),
    ),
    "/debug/tombstones": show((_, __, print) =>
      print.value(parts.tombstones.map((one) => ({ ...one, isDone: parts.standing.buried.has(keyOf(one)) }))),
    ),
    "/debug/facts": show(({ scene }, _, print) => print.value(factsOf(scene.world, parts.assets))),
    "/debug/health": () => ({ status: 200, body: "OK\n" }),
  };
}

export type Seen = { readonly scene: Scene; readonly previews: readonly Preview[] };

/** Undefined: there is no HyperConverged to work from. */
async function seen({ parts, stage, reader }: DebugParts, signal: AbortSignal): Promise<Seen | undefined> {
  const cluster = reader(signal);
  await Promise.all((stage.scene()?.objects ?? []).map((object) => loadInputs(object, parts, { cluster })));
  const scene = stage.scene();
  if (scene === undefined) return undefined;
  const { world, objects } = scene;
  const now = parts.clock.wall();
  const trouble = (ref: Scene["objects"][number]["ref"]) => {
    const watch = parts.find(managedWatch(ref, parts.settings.hcoNamespace));
    return watch === undefined || watch.state === "starting" ? (watch?.trouble ?? "not listed yet") : undefined;
  };
  const previews = objects.map((object) =>
    previewObject(object, { world, now, memory: parts.memory.get(keyOf(object.ref)), trouble }),
  );
  return { scene, previews };
}

function isAsset(previews: readonly Preview[], name: string): boolean {
  return previews.some(({ object }) => object.assets.some((asset) => asset.name === name));
}

function notFound(name: string): Reply {
  return { status: 404, body: `Asset not found: ${name}\n` };
}

/** What a server says about a refusal may hold what it refused. */
function lastError({ object }: Preview, { standing }: PlatformParts) {
  const failure = standing.failures.get(keyOf(object.ref));
  return failure && { ...failure, message: scrubText(failure.message) };
}
