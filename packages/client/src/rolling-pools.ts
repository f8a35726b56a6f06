// Every MachineConfigPool that rolls out something now, with the cause: a plan, what a deleted or ignored config left behind, the
// platform controller, or another client.

import { isRolloutOpen, type LeftBehindParts, partLeftBehind } from "@virt/advisor";
import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import { asList, asText, at, member, poolProgress, readTime } from "@virt/engine";

/** An object that the platform controller wrote, as its report names it: `<Kind> <name>`. Times are RFC 3339. */
export type PlatformWrite = { readonly object: string; readonly lastWrite: string };

/**
 * `leftover`: a plan applied the objects, and its config was deleted or is ignored. `other`: none of these; `machineConfigs` are those
 * that were added or removed, if any were. `unknown`: the same, but it may be the platform controller or an
 * earlier plan: the report or an object cannot be read.
 */
export type RolloutCauseView =
  | { readonly kind: "plan"; readonly configs: readonly string[] }
  | { readonly kind: "leftover"; readonly configs: readonly string[]; readonly objects: readonly string[] }
  | { readonly kind: "platform"; readonly objects: readonly string[] }
  | { readonly kind: "other" | "unknown"; readonly machineConfigs: readonly string[] };

export type RollingPool = {
  readonly name: string;
  readonly total: number;
  /** Absent while the pool counts the machines of an earlier target. */
  readonly updated?: number;
  readonly unavailable: number;
  readonly degraded: number;
  readonly isPaused: boolean;
  readonly causes: readonly RolloutCauseView[];
};

export type RollingPoolFacts = {
  readonly pools: readonly KubeObject[];
  readonly configs: readonly VirtPlatformConfig[];
  /** Empty if the platform controller has no report. Undefined: the report cannot be read. */
  readonly platformWrites: readonly PlatformWrite[] | undefined;
};

/** By name. A pool that waits because it is paused counts as well: it starts when it is resumed. */
export function rollingPools({ pools, configs, platformWrites }: RollingPoolFacts): readonly RollingPool[] {
  return pools
    .filter(isRolling)
    .map((pool) => {
      const { name } = pool.metadata;
      const { nodes, updated, degraded, unavailable } = poolProgress(pool, true);
      const isPaused = at(pool, "spec", "paused") === true;
      const causes = causesOf(pool, { configs, platformWrites });
      const counts = countsOfPlans(name, configs) ?? { total: nodes, ...(updated !== undefined && { updated }) };
      return { name, ...counts, unavailable, degraded, isPaused, causes };
    })
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function isRolling(pool: KubeObject): boolean {
  const target = asText(at(pool, "spec", "configuration", "name")) ?? "";
  const reached = asText(at(pool, "status", "configuration", "name")) ?? "";
  return isUpdating(pool) || (target !== "" && reached !== "" && target !== reached);
}

function isUpdating(pool: KubeObject): boolean {
  return member(updatingOf(pool), "status") === "True";
}

function updatingOf(pool: KubeObject) {
  return asList(at(pool, "status", "conditions")).find((condition) => member(condition, "type") === "Updating");
}

/**
 * The counts that the statuses of running plans show, of the slowest. If a target of a plan was deleted, the pool itself counts nodes that
 * return to the configuration without it. Undefined: no plan rolls the pool.
 */
function countsOfPlans(
  pool: string,
  configs: readonly VirtPlatformConfig[],
): Pick<RollingPool, "total" | "updated"> | undefined {
  const counted = configs
    .filter(({ status = {} }) => isRolloutOpen(status))
    .flatMap(({ status }) => status?.rollout?.pools ?? [])
    .filter(({ name, done, total }) => name === pool && done < total)
    .toSorted((left, right) => left.done - right.done);
  return counted.map(({ total, done }) => ({ total, updated: done }))[0];
}

/** The configs whose own nodes of this pool are not done. */
function plansOf(pool: string, configs: readonly VirtPlatformConfig[]): readonly string[] {
  const isOpen = ({ status }: VirtPlatformConfig) =>
    (status?.rollout?.pools ?? []).some(({ name, done, total }) => name === pool && done < total);
  return configs
    .filter(isOpen)
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

function causesOf(
  pool: KubeObject,
  { configs, platformWrites }: Pick<RollingPoolFacts, "configs" | "platformWrites">,
): readonly RolloutCauseView[] {
  const changed = changedSources(pool);
  const plans = plansOf(pool.metadata.name, configs);
  const left = planWrites(configs, "left").filter((write) => isCause(write, pool, changed));
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
  return [{ kind: platformWrites === undefined || mayBeLeft ? "unknown" : "other", machineConfigs: changed }];
}

/** Objects of earlier plans that are left in place, or that the advisor cannot read. */
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

/** MachineConfigs that the target has and the present configuration has not, and the other way round. */
function changedSources(pool: KubeObject): readonly string[] {
  const [next, now] = [sourcesOf(at(pool, "spec")), sourcesOf(at(pool, "status"))];
  const changed = [...next.filter((name) => !now.includes(name)), ...now.filter((name) => !next.includes(name))];
  return changed.toSorted();
}

function sourcesOf(part: ReturnType<typeof at>): readonly string[] {
  return asList(at(part, "configuration", "source")).map((source) => asText(member(source, "name")) ?? "");
}

/** The Machine Config Operator renders a write within this time, and says so with the pool's condition. */
const renderMs = 10 * 60_000;

/** A MachineConfig appears among the sources by its name, a KubeletConfig as a generated one. A changed content shows by its time. */
function isCause({ object, lastWrite }: PlatformWrite, pool: KubeObject, changed: readonly string[]): boolean {
  const [kind = "", name = ""] = object.split(" ");
  if (kind !== "MachineConfig" && kind !== "KubeletConfig") return false;
  const source = kind === "MachineConfig" ? name : `99-${pool.metadata.name}-generated-kubelet`;
  const isSource = (one: string) => (kind === "MachineConfig" ? one === source : one.startsWith(source));
  if (changed.some(isSource)) return true;
  const isRendered = sourcesOf(at(pool, "spec")).some(isSource);
  const written = readTime(lastWrite);
  const began = readTime(asText(member(updatingOf(pool), "lastTransitionTime")) ?? "");
  if (changed.length > 0 || !isRendered || written === undefined || began === undefined) return false;
  return written <= began && began - written <= renderMs;
}

/** What a person must know who ends or stops a plan: only a pause keeps nodes from a MachineConfig that is written. */
export const rolloutContinues =
  "A MachineConfig that is already written rolls out to all nodes of its pools. To stop that, pause the pools.";

/** One sentence for each pool, for people. */
export function rollingPoolText({
  name,
  total,
  updated,
  unavailable,
  degraded,
  isPaused,
  causes,
}: RollingPool): string {
  const counts = [
    updated === undefined ? `${total} nodes` : `${updated} of ${total} nodes updated`,
    ...(unavailable > 0 ? [`${unavailable} unavailable`] : []),
    ...(degraded > 0 ? [`${degraded} degraded`] : []),
  ].join(", ");
  return `Pool ${name} is ${isPaused ? "paused with a pending update" : "updating"}: ${counts}. ${causes.map(causeText).join(" ")}`;
}

function causeText(cause: RolloutCauseView): string {
  switch (cause.kind) {
    case "plan":
      return `Cause: ${cause.configs.length === 1 ? "plan" : "plans"} of ${cause.configs.join(", ")}.`;
    case "leftover":
      return `Cause: ${cause.objects.join(", ")}, left in place by a plan of ${cause.configs.join(", ")}, which was deleted or is ignored.`;
    case "platform":
      return `Cause: the platform controller (${cause.objects.join(", ")}).`;
    case "unknown": {
      const changed = cause.machineConfigs.length === 0 ? "" : ` Changed: ${cause.machineConfigs.join(", ")}.`;
      return `Cause: unknown, because the report of the platform controller or an object of an earlier plan cannot be read.${changed}`;
    }
    case "other":
      return cause.machineConfigs.length === 0
        ? "Cause: unknown, but not a plan or the platform controller."
        : `Cause: another client changed ${cause.machineConfigs.join(", ")}.`;
  }
}
