// Finds the cause of a pool update. If a source could not be read, the cause is unknown, so that the wrong one is never
// named.

import { hasPlanBegun, isApplied, isRolloutOpen, type LeftBehindParts, partLeftBehind } from "@virt/advisor";
import type { Item, KubeObject, PoolRollout, VirtPlatformConfig } from "@virt/api";
import { asList, asText, at, isMap, member, readJson, readTime } from "@virt/objects";
import { planMachineConfigs } from "./plan-machine-configs.ts";

export type PlatformWrite = { readonly object: string; readonly lastWrite: string };

type UnreadCause = "configs" | "report" | "object";

/**
 * `leftover`: written by a plan whose config was deleted or is ignored. `unmanaged`: MachineConfigs that only plans
 * write, but no current plan manages. `other`: another client; `machineConfigs` are the added or removed ones.
 * `unknown`: like `other`, but a source could not be read.
 */
export type RolloutCauseView =
  | { readonly kind: "plan"; readonly configs: readonly string[] }
  | { readonly kind: "leftover"; readonly configs: readonly string[]; readonly objects: readonly string[] }
  | { readonly kind: "platform"; readonly objects: readonly string[] }
  | { readonly kind: "unmanaged" | "other"; readonly machineConfigs: readonly string[] }
  | { readonly kind: "unknown"; readonly machineConfigs: readonly string[]; readonly unread: readonly UnreadCause[] };

export type CauseFacts = {
  /** All configs of the cluster. Undefined if they cannot be listed. */
  readonly configs: readonly VirtPlatformConfig[] | undefined;
  /** Undefined if there is no report of the platform controller, or one is unreadable. */
  readonly platformWrites: readonly PlatformWrite[] | undefined;
  /** Names of the MachineConfigs that profiles write. Default: those of the catalog. */
  readonly planned?: ReadonlySet<string>;
};

/** Returns all writes that the reports contain, or undefined if there is no report, or one is invalid. */
export function platformWritesOf(reports: readonly KubeObject[]): readonly PlatformWrite[] | undefined {
  const found = reports.map(writesIn);
  const writes = found.flatMap((one) => one ?? []);
  return found.length === 0 || found.includes(undefined) ? undefined : writes;
}

function writesIn(report: KubeObject): readonly PlatformWrite[] | undefined {
  try {
    const content = readJson(asText(at(report, "data", "report.json")) ?? "");
    if (!isMap(content)) return undefined;
    return asList(content["objects"]).map((row) => ({
      object: asText(member(row, "object")) ?? "",
      lastWrite: asText(member(row, "lastWrite")) ?? "",
    }));
  } catch {
    return undefined;
  }
}

/**
 * Returns the configs whose plans roll the pool: some of their nodes are not updated, or the pool has not rendered
 * their MachineConfigs yet. Skips ignored configs, whose counts are stale.
 */
export function rollingPlans(pool: KubeObject, configs: readonly VirtPlatformConfig[]): readonly VirtPlatformConfig[] {
  const changed = changedSources(pool);
  return configs.filter((config) => {
    const { phase, items = [], rollouts = [] } = config.status ?? {};
    if (phase === "Ignored") return false;
    const isWritten = ({ state }: Item) => phase === "InProgress" && state === "InProgress";
    const written = items.filter(isWritten).flatMap(machineConfigOf);
    const pending = rollouts.map(({ machineConfig }) => machineConfig);
    const isOpen = openCounts(pool, config).some(({ done, total }) => done < total);
    return isOpen || [...written, ...pending].some((name) => changed.includes(name));
  });
}

export function openCounts({ metadata }: KubeObject, { status = {} }: VirtPlatformConfig): readonly PoolRollout[] {
  return isRolloutOpen(status) ? (status.rollout?.pools ?? []).filter(({ name }) => name === metadata.name) : [];
}

function machineConfigOf({ targetRef: { kind, name } }: Item): readonly string[] {
  return kind === "MachineConfig" ? [name] : [];
}

export function causesOf(
  pool: KubeObject,
  { configs: listed, platformWrites, planned = planMachineConfigs }: CauseFacts,
): readonly RolloutCauseView[] {
  const configs = listed ?? [];
  const changed = changedSources(pool);
  const plans = sortedNames(rollingPlans(pool, configs).map(({ metadata }) => metadata.name));
  const left = planWrites(configs, "left").filter((write) => isRendered(write, pool) && isCause(write, pool, changed));
  const ours = (platformWrites ?? []).filter((write) => isCause(write, pool, changed));
  const known: readonly RolloutCauseView[] = [
    ...(plans.length === 0 ? [] : [{ kind: "plan", configs: plans } as const]),
    ...(left.length === 0
      ? []
      : [
          {
            kind: "leftover",
            configs: sortedNames(left.map(({ config }) => config)),
            objects: objectsOf(left),
          } as const,
        ]),
    ...(ours.length === 0 ? [] : [{ kind: "platform", objects: objectsOf(ours) } as const]),
  ];
  if (known.length > 0) return known;
  const mayBeLeft = planWrites(configs, "unread").some((write) => isCause(write, pool, changed));
  const unread: readonly UnreadCause[] = [
    ...(listed === undefined ? (["configs"] as const) : []),
    ...(platformWrites === undefined ? (["report"] as const) : []),
    ...(mayBeLeft ? (["object"] as const) : []),
  ];
  const isUnread = listed === undefined || mayBeLeft;
  const unmanaged = isUnread ? [] : changed.filter((name) => planned.has(name) && !isManaged(name, configs));
  const rest = changed.filter((name) => !unmanaged.includes(name));
  const others: RolloutCauseView =
    unread.length > 0 ? { kind: "unknown", machineConfigs: rest, unread } : { kind: "other", machineConfigs: rest };
  return [
    ...(unmanaged.length === 0 ? [] : [{ kind: "unmanaged", machineConfigs: unmanaged } as const]),
    ...(unmanaged.length > 0 && rest.length === 0 ? [] : [others]),
  ];
}

/** Reports whether a current plan applied or deleted this MachineConfig. */
function isManaged(machineConfig: string, configs: readonly VirtPlatformConfig[]): boolean {
  return configs
    .filter(({ status }) => hasPlanBegun(status?.phase))
    .flatMap(({ status }) => (status?.items ?? []).filter(isApplied).flatMap(machineConfigOf))
    .includes(machineConfig);
}

export function updatingOf(pool: KubeObject) {
  return asList(at(pool, "status", "conditions")).find((condition) => member(condition, "type") === "Updating");
}

function planWrites(configs: readonly VirtPlatformConfig[], part: keyof LeftBehindParts) {
  return configs.flatMap(({ metadata, status }) =>
    partLeftBehind(status?.leftBehind ?? [])[part].map(({ kind, name, appliedTime = "" }) => ({
      config: metadata.name,
      object: `${kind} ${name}`,
      lastWrite: appliedTime,
    })),
  );
}

function objectsOf(writes: readonly PlatformWrite[]): readonly string[] {
  return sortedNames(writes.map(({ object }) => object));
}

function sortedNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

/** Returns MachineConfigs in only one of the target and the current configuration. */
function changedSources(pool: KubeObject): readonly string[] {
  const [next, now] = [sourcesOf(at(pool, "spec")), sourcesOf(at(pool, "status"))];
  const changed = [...next.filter((name) => !now.includes(name)), ...now.filter((name) => !next.includes(name))];
  return changed.toSorted();
}

function sourcesOf(part: ReturnType<typeof at>): readonly string[] {
  return asList(at(part, "configuration", "source")).map((source) => asText(member(source, "name")) ?? "");
}

/** How long the Machine Config Operator may take to render a write and set the pool's condition. */
const renderMs = 10 * 60_000;

/**
 * Reports whether the written object is a source of the pool. Sources contain the name of a MachineConfig, or for a
 * KubeletConfig, that of its generated MachineConfig.
 */
function isSourceOf({ object }: PlatformWrite, pool: KubeObject): (source: string) => boolean {
  const [kind = "", name = ""] = object.split(" ");
  const generated = `99-${pool.metadata.name}-generated-kubelet`;
  return (source) =>
    (kind === "MachineConfig" && source === name) || (kind === "KubeletConfig" && source.startsWith(generated));
}

function isRendered(write: PlatformWrite, pool: KubeObject): boolean {
  return sourcesOf(at(pool, "spec")).some(isSourceOf(write, pool));
}

/**
 * Reports whether the write caused the update. A change of content does not change the list of sources, so this
 * compares the time of the write.
 */
function isCause(write: PlatformWrite, pool: KubeObject, changed: readonly string[]): boolean {
  if (changed.some(isSourceOf(write, pool))) return true;
  const written = readTime(write.lastWrite);
  const began = readTime(asText(member(updatingOf(pool), "lastTransitionTime")) ?? "");
  if (changed.length > 0 || !isRendered(write, pool) || written === undefined || began === undefined) return false;
  return written <= began && began - written <= renderMs;
}

const unreadTexts: Readonly<Record<UnreadCause, string>> = {
  configs: "VirtPlatformConfigs cannot be listed",
  report: "the platform controller's report was not found or cannot be read",
  object: "an object of an earlier plan cannot be read",
};

export function causeText(cause: RolloutCauseView): string {
  switch (cause.kind) {
    case "plan":
      return `Cause: ${cause.configs.length === 1 ? "plan" : "plans"} of ${cause.configs.join(", ")}.`;
    case "leftover":
      return `Cause: ${cause.objects.join(", ")}, left in place by a plan of ${cause.configs.join(", ")}, which was deleted or is ignored.`;
    case "platform":
      return `Cause: the platform controller (${cause.objects.join(", ")}).`;
    case "unmanaged":
      return `Cause: an earlier plan or another client changed ${cause.machineConfigs.join(", ")}. No current plan manages it.`;
    case "unknown": {
      const changed = cause.machineConfigs.length === 0 ? "" : ` Changed: ${cause.machineConfigs.join(", ")}.`;
      return `Cause: unknown, because ${cause.unread.map((one) => unreadTexts[one]).join(", and ")}.${changed}`;
    }
    case "other":
      return cause.machineConfigs.length === 0
        ? "Cause: unknown. It is not a running plan, and the platform controller has not written recently."
        : `Cause: another client changed ${cause.machineConfigs.join(", ")}.`;
  }
}
