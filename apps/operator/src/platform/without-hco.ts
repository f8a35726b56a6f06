// What is over while there is no HyperConverged to work from: series, news and memory of all objects.

import { chooseHco } from "./hco.ts";
import type { PlatformParts } from "./parts.ts";
import { reportHco, subjectOf } from "./report.ts";
import { warning } from "./tell.ts";

/** Nothing is said while nobody knows yet. */
export function reportNoHco(parts: PlatformParts): void {
  const chosen = chooseHco(parts.find, parts.settings.hcoNamespace);
  if (chosen.kind === "starting" || chosen.kind === "found") return;
  if (parts.standing.activity !== "no HyperConverged")
    parts.log.info("there is no HyperConverged to work from, keeping idle", { found: chosen.kind });
  parts.standing.activity = "no HyperConverged";
  forgetSeries(parts);
  forgetObjects(parts, chosen.kind === "several" ? subjectOf(chosen.first) : undefined);
  if (chosen.kind !== "several") return;
  const several = warning("MultipleHyperConverged", "More than one HyperConverged found, set --hco-namespace");
  reportHco({ stands: several }, chosen.first, parts);
}

function forgetSeries({ metrics, settings, assets }: PlatformParts): void {
  metrics.active(settings.activation, false);
  metrics.forgetAll();
  metrics.dependencies([]);
  for (const { name } of assets) metrics.excluded(name, "HCOMissing");
}

/** But for what is told of the HyperConverged that is one of several. */
function forgetObjects({ standing, memory }: PlatformParts, spared: string | undefined): void {
  memory.clear();
  for (const each of [standing.failures, standing.paused, standing.throttled, standing.unreadSince]) each.clear();
  for (const subject of standing.told.keys()) if (subject !== spared) standing.told.delete(subject);
  standing.tally.forget();
  standing.missingCrds = new Map();
  standing.hcoDone = undefined;
}
