// Publishes the report as an object: when it changed, and not often.

import { fieldManagers } from "@virt/api";
import type { Outcome } from "@virt/engine";
import { type Ending, scrubText, type Tools } from "@virt/kube";
import {
  exclusionsOf,
  type FeatureRow,
  featureStates,
  hcoOf,
  objectRow,
  type Report,
  reportObject,
  rowsOf,
  writeReport,
} from "@virt/platform";
import { keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { previewsOf } from "./previews.ts";
import { tellOfHco } from "./report.ts";
import type { Scene } from "./scene.ts";

/** Looked at under this key. */
export const reportKey = "report";

const restMs = 10_000;
/** Many objects change at once: one report tells of all. */
const gatherMs = 1_000;

export type Publisher = {
  /** Something that it tells may be another. */
  readonly dirty: () => void;
  readonly pass: (scene: Scene | undefined, tools: Tools) => Promise<Ending>;
};

export function createPublisher(parts: PlatformParts, features: readonly FeatureRow[]): Publisher {
  let dirtyAt: number | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let published = "";
  let trouble = ""; // said once
  return {
    dirty: () => {
      dirtyAt ??= parts.clock.monotonic();
      parts.look(reportKey);
    },
    pass: async (scene, { cluster }) => {
      const now = parts.clock.monotonic();
      const dueAt = Math.max(lookedAt + restMs, (dirtyAt ?? now) + gatherMs);
      if (now < dueAt) return { kind: "again", atMs: parts.clock.wall() + dueAt - now };
      lookedAt = now;
      dirtyAt = undefined;
      tellTally(scene, parts);
      const text = writeReport(reportOf(scene, parts, features));
      if (text === published) return { kind: "done" };
      const write = { manager: fieldManagers.platform, force: true, expect: "anything" } as const;
      const outcome = await cluster.apply(reportObject(parts.ownNamespace, text), write);
      if (outcome.kind === "done") published = text;
      const why = outcome.kind === "done" ? "" : whyNot(outcome, parts);
      if (why !== "" && why !== trouble) parts.log.warn("the report cannot be published", { why });
      trouble = why;
      return { kind: outcome.kind === "unavailable" ? "failed" : "done" };
    },
  };
}

/** With the report: while objects are still looked at the numbers change with each of them. */
function tellTally(scene: Scene | undefined, parts: PlatformParts): void {
  if (scene === undefined) return;
  for (const one of parts.standing.tally.news(scene.objects.length)) tellOfHco(one, scene.hco, parts);
}

function whyNot(outcome: Exclude<Outcome, { kind: "done" }>, { ownNamespace }: PlatformParts): string {
  if (outcome.kind === "missing") return `namespace ${ownNamespace} does not exist`;
  return "message" in outcome ? outcome.message : outcome.kind;
}

function reportOf(scene: Scene | undefined, parts: PlatformParts, features: readonly FeatureRow[]): Report {
  const { activation: mode } = parts.settings;
  if (scene === undefined)
    return { version: 1, activation: { mode, isActive: false }, hco: null, features: [], objects: [], exclusions: [] };
  const previews = previewsOf(scene, parts);
  const rows = previews.flatMap(rowsOf);
  return {
    version: 1,
    activation: { mode, isActive: scene.world.activation.isActive },
    hco: hcoOf(scene.world),
    features: featureStates(features, rows),
    objects: previews.map((preview) => objectRow(preview, lastError(keyOf(preview.object.ref), parts))),
    exclusions: exclusionsOf(rows),
  };
}

/** What a server says about a refusal may hold what it refused. */
export function lastError(key: string, { standing }: PlatformParts) {
  const failure = standing.failures.get(key);
  return failure && { ...failure, message: scrubText(failure.message) };
}
