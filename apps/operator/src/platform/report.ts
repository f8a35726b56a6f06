// Tells what a pass did: events on change, series as they stand.

import type { KubeObject } from "@virt/api";
import type { ManagedObject } from "@virt/platform";
import type { Pass } from "./keep.ts";
import { keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { happened, signsOf, standingNews, type Told } from "./tell.ts";
import { managedWatch } from "./watches.ts";

export function reportPass(
  { ref, assets }: ManagedObject,
  { kept, evaluated }: Pass,
  hco: KubeObject,
  parts: PlatformParts,
): void {
  const { metrics, standing, log } = parts;
  const key = keyOf(ref);
  const live = [...(parts.find(managedWatch(ref, parts.settings.hcoNamespace))?.store.items() ?? [])][0];
  const signs = signsOf(kept, live);
  if (signs === undefined) metrics.forget(ref);
  else metrics.show(ref, signs);
  for (const { name } of assets) {
    const asset = evaluated.standings.get(name);
    metrics.excluded(name, asset === undefined || asset.kind === "active" ? undefined : asset.reason);
  }
  if (kept.kind === "paused-now") metrics.thrashed(ref);
  standing.failures.delete(key);
  if (kept.kind === "failed") {
    standing.failures.set(key, kept);
    log.warn("an object cannot be kept", { object: key, why: kept.message });
  }
  const stands = standingNews(ref, kept, evaluated);
  for (const told of [...happened(ref, kept, evaluated), ...stands.filter((one) => isNews(key, one, standing.told))])
    announce(told, { key, hco, ref, parts });
  remember(key, stands, standing.told);
}

/** What is to be said about the HyperConverged itself, beside what was done to it. */
export function reportHco(stands: readonly Told[], hco: KubeObject, parts: PlatformParts): void {
  const { apiVersion, kind, metadata } = hco;
  const ref = { apiVersion, kind, name: metadata.name, namespace: metadata.namespace ?? "" };
  const key = `${keyOf(ref)} itself`;
  for (const told of stands.filter((one) => isNews(key, one, parts.standing.told)))
    announce(told, { key: keyOf(ref), hco, ref, parts });
  remember(key, stands, parts.standing.told);
}

function isNews(key: string, { reason, note }: Told, told: ReadonlySet<string>): boolean {
  return !told.has(`${key} ${reason} ${note}`);
}

/** A situation that is over may be told again when it comes back. */
function remember(key: string, stands: readonly Told[], told: Set<string>): void {
  for (const subject of told) if (subject.startsWith(`${key} `)) told.delete(subject);
  for (const { reason, note } of stands) told.add(`${key} ${reason} ${note}`);
}

type Telling = {
  readonly key: string;
  readonly hco: KubeObject;
  readonly ref: ManagedObject["ref"];
  readonly parts: PlatformParts;
};

export function announce({ type, reason, note }: Told, { key, hco, ref, parts }: Telling): void {
  parts.log[type === "Warning" ? "warn" : "info"](note, { object: key, reason });
  const { apiVersion, kind, metadata } = hco;
  const { name, namespace, uid } = metadata;
  parts.announce({
    regarding: { apiVersion, kind, name, ...(namespace && { namespace }), ...(uid && { uid }) },
    related: ref,
    type,
    reason,
    action: `${reason} ${key}`,
    note,
  });
}
