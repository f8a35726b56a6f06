// The debug pages: the controller's own evaluation of what it sees now. They change nothing and ask for little.

import type { Reader, Reply, Routes } from "@virt/kube";
import {
  exclusionsOf,
  type FeatureRow,
  factsOf,
  featureStates,
  objectRow,
  type Preview,
  renderDocuments,
  renderEntries,
  rowsOf,
} from "@virt/platform";
import { isGone } from "../platform/bury.ts";
import { loadInputs } from "../platform/load-inputs.ts";
import { keyOf } from "../platform/objects.ts";
import type { PlatformParts } from "../platform/parts.ts";
import { previewsOf } from "../platform/previews.ts";
import { lastError } from "../platform/publish.ts";
import type { Scene } from "../platform/scene.ts";
import type { Stage } from "../platform/stage.ts";
import { page } from "./page.ts";

export type DebugParts = {
  readonly parts: PlatformParts;
  readonly stage: Stage;
  readonly features: readonly FeatureRow[];
  readonly reader: (signal: AbortSignal) => Reader;
};

/** Every replica has them: what a standby has not read yet is read when somebody asks. */
export function debugPages(debug: DebugParts): Routes {
  const show = page(async (signal) => seen(debug, signal));
  const { parts, features } = debug;
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
      print.value(previews.map((preview) => objectRow(preview, lastError(keyOf(preview.object.ref), parts)))),
    ),
    "/debug/features": show(({ previews }, _, print) => print.value(featureStates(features, previews.flatMap(rowsOf)))),
    "/debug/tombstones": show((_, __, print) =>
      print.value(parts.tombstones.map((one) => ({ ...one, isDone: isGone(one, parts) }))),
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
  return { scene, previews: previewsOf(scene, parts) };
}

function isAsset(previews: readonly Preview[], name: string): boolean {
  return previews.some(({ object }) => object.assets.some((asset) => asset.name === name));
}

function notFound(name: string): Reply {
  return { status: 404, body: `Asset not found: ${name}\n` };
}
