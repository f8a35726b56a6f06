// Reads the objects that earlier plans of an ignored config left behind. Reads each possible target once, without a
// watch.

import { listLeftBehind, type Profile, possibleTargets, wantsLeftBehind } from "@virt/advisor";
import { type KubeObject, type LeftBehind, profileManager, type Ref, type VirtPlatformConfig } from "@virt/api";
import { usualHcoNamespaces } from "@virt/cluster";
import type { ClusterReader, Log, ReadResult } from "@virt/kube";
import { describeRef } from "./draft-plan.ts";
import type { GatherOptions } from "./gather-facts.ts";

type LeftBehindSources = Pick<GatherOptions, "view" | "cluster" | "ownNamespace" | "statusOrigin"> & {
  readonly log: Pick<Log, "warn">;
};

type LeftBehindReading =
  | { readonly kind: "read"; readonly leftBehind: readonly LeftBehind[] }
  | { readonly kind: "not-wanted" }
  | Extract<ReadResult, { kind: "unavailable" }>;

export async function readLeftBehind(
  config: VirtPlatformConfig,
  profile: Profile | undefined,
  { view, cluster, ownNamespace, statusOrigin, log }: LeftBehindSources,
): Promise<LeftBehindReading> {
  if (profile === undefined || !wantsLeftBehind(config, statusOrigin)) return { kind: "not-wanted" };
  const hcoNamespaces = [...new Set([view.hco(config).namespace, ...usualHcoNamespaces])];
  const targets = possibleTargets(profile, { ownNamespace, hcoNamespaces });
  const objects: KubeObject[] = [];
  const unread: Ref[] = [];
  for (const versions of targets) {
    const reading = await readServed(versions, cluster);
    if (reading.kind === "unavailable") return reading;
    if (reading.kind === "found") objects.push(reading.object);
    if (reading.kind !== "rejected") continue;
    const refused = versions.slice(0, 1);
    unread.push(...refused);
    log.warn("cannot determine whether an earlier plan left an object behind", {
      config: config.metadata.name,
      object: refused.map(describeRef).join(),
      why: reading.message,
    });
  }
  return { kind: "read", leftBehind: listLeftBehind({ objects, unread }, profileManager(profile.name)) };
}

async function readServed(versions: readonly Ref[], cluster: ClusterReader): Promise<ReadResult> {
  for (const ref of versions) {
    const reading = await cluster.read(ref);
    if (reading.kind !== "missing") return reading;
  }
  return { kind: "absent" };
}
