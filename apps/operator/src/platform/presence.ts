// Follows the state of virt-platform-autopilot in the caches, and schedules the round in which it changes without an event.

import type { KubeObject } from "@virt/api";
import { autopilotInformer, followAutopilot, isAutopilotManager, lastAutopilotWrite } from "@virt/cluster";
import type { ListResult, ObservedPresence } from "@virt/platform";
import type { PlatformRuntime } from "./runtime.ts";

type PresenceRuntime = Pick<PlatformRuntime, "records" | "clock" | "find" | "settings">;

/** Reads the Deployment in the namespace of the HyperConverged, and the newest write of the autopilot. */
export function observePresence(hco: KubeObject, runtime: PresenceRuntime): ObservedPresence {
  const { records, clock } = runtime;
  const { items, unreadReason } = deploymentsIn(runtime);
  const deployment = items.find(({ metadata }) => metadata.namespace === hco.metadata.namespace);
  const time = { wallMs: clock.wall(), monotonicMs: clock.monotonic() };
  const { lastWriteMs } = records.cluster;
  const memory = followAutopilot(
    records.cluster.autopilot,
    { hco, deployment, unreadReason, ...(lastWriteMs !== undefined && { lastWriteMs }) },
    time,
  );
  records.cluster.autopilot = memory;
  return { memory, isPresent: isAutopilotInstalled(hco, runtime) };
}

/** Reports whether the autopilot is or was installed, or cannot be looked up. */
export function isAutopilotInstalled(hco: KubeObject, runtime: Pick<PresenceRuntime, "find" | "settings">): boolean {
  const { items, unreadReason } = deploymentsIn(runtime);
  const isThere = items.some(({ metadata }) => metadata.namespace === hco.metadata.namespace);
  return isThere || unreadReason !== undefined || isAutopilotManager(hco);
}

function deploymentsIn({ find, settings }: Pick<PresenceRuntime, "find" | "settings">): ListResult {
  const informer = find(autopilotInformer(settings.hcoNamespace));
  const items = [...(informer?.store.items() ?? [])];
  if (informer === undefined || informer.state === "starting")
    return { items, unreadReason: informer?.lastError ?? "cache of Deployment not synced" };
  return informer.lastError === undefined ? { items } : { items, unreadReason: informer.lastError };
}

/** Reports whether the Deployment was read, or a read has failed. Nothing may be written before. */
export function isPresenceKnown({ find, settings }: Pick<PresenceRuntime, "find" | "settings">): boolean {
  const informer = find(autopilotInformer(settings.hcoNamespace));
  return informer !== undefined && (informer.state !== "starting" || informer.lastError !== undefined);
}

/** Notes the time of a write of the autopilot. Reports whether its state may change because of it. */
export function noteAutopilotWrite(after: KubeObject | undefined, { records }: PresenceRuntime): boolean {
  const { cluster } = records;
  const writtenMs = after && lastAutopilotWrite(after);
  if (writtenMs === undefined || writtenMs <= (cluster.lastWriteMs ?? 0)) return false;
  cluster.lastWriteMs = writtenMs;
  return cluster.autopilot?.falseSinceMs !== undefined;
}

/** Returns when the state changes without an event, in monotonic milliseconds. */
export function presenceDueMs({ records }: PresenceRuntime): number | undefined {
  return records.cluster.autopilot?.dueMs;
}
