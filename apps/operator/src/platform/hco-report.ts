// Tells whether there is work to do, and what stands in its way: once for all objects.

import { discoveredNews, excludedAssets, missingCrds } from "./discovered.ts";
import { dependencies, hcoNews } from "./hco-news.ts";
import type { PlatformParts } from "./parts.ts";
import { isForgotten, reportHco, tellOfHco } from "./report.ts";
import type { Scene } from "./scene.ts";

export function reportOn(scene: Scene, parts: PlatformParts): void {
  const { world, hco } = scene;
  const { standing, metrics, settings, assets } = parts;
  if (isForgotten(parts)) return;
  const { isActive } = world.activation;
  metrics.active(settings.activation, isActive);
  if (!isActive && standing.activity !== "idle")
    parts.log.info("Autopilot not enabled, keeping idle. Set annotation to opt in.");
  standing.activity = isActive ? "active" : "idle";
  const stands = hcoNews(hco, world, assets);
  // Before all is read nobody knows what is missing: what is known of that stands.
  if (isActive && world.unread !== undefined)
    return reportHco({ stands, undecided: new Set(["CRDMissing"]) }, hco, parts);
  const come = { crds: world.crds, excluded: excludedAssets(scene) };
  for (const one of discoveredNews(standing.missingCrds, come)) tellOfHco(one, hco, parts);
  standing.missingCrds = missingCrds(scene);
  reportHco({ stands }, hco, parts);
  metrics.dependencies(dependencies(world, assets));
}
