// Predicts the allowed writes from the order of the users' steps, without using the code under test.

import type { KubeObject } from "@virt/api";
import {
  type AssetName,
  assetNames,
  assetOf,
  type ClusterWrite,
  type ConfigName,
  saidBy,
} from "./governance-catalog.ts";
import type { GovernedCluster } from "./governed-cluster.ts";

const switchOf: Readonly<Record<AssetName, string>> = {
  "swap-enable": "enable-swap",
  "psi-enable": "enable-loadaware",
};

/** A period in which a plan governs an asset. `before` is the time when the previous period ended. */
type Period = { readonly before: number | undefined; isOver: boolean; isNoted: boolean; isSeen: boolean };

export class Oracle {
  #now = 0;
  readonly #releasedAt = new Map<AssetName, number>();
  readonly #askedAt = new Map<AssetName, number>();
  readonly #pruneAskedAt = new Map<AssetName, number>();
  readonly #thereAt = new Map<AssetName, number>();
  readonly #periods = new Map<AssetName, Period>();
  readonly violations: string[] = [];
  allowed = 0;

  seen(config: KubeObject): void {
    const period = this.#periods.get(assetOf[config.metadata.name as ConfigName]);
    if (period !== undefined && governing(config)) period.isSeen = true;
  }

  crashed(): void {
    for (const period of this.#periods.values()) period.isSeen = false;
  }

  stored(): void {
    for (const period of this.#periods.values()) period.isNoted ||= period.isSeen;
  }

  remembered(config: KubeObject, cluster: GovernedCluster): void {
    const name = config.metadata.name as ConfigName;
    const period = this.#periods.get(assetOf[name]);
    if (period === undefined) return;
    const isNewest = config.metadata["generation"] === cluster.configs.get(name)?.metadata["generation"];
    period.isNoted ||= period.isOver ? isNewest : governing(config);
  }

  after(cluster: GovernedCluster): void {
    this.#now += 1;
    for (const [config, asset] of Object.entries(assetOf) as readonly [ConfigName, AssetName][]) {
      const there = cluster.configs.get(config);
      const period = this.#periods.get(asset);
      if (governing(there)) {
        const before = period?.isNoted === false ? period.before : this.#releasedAt.get(asset);
        if (period?.isOver !== false)
          this.#periods.set(asset, { before, isOver: false, isNoted: false, isSeen: false });
      } else if (period?.isOver === false) {
        period.isOver = true;
        this.#releasedAt.set(asset, this.#now);
      }
      const now = this.#periods.get(asset);
      if (now === undefined) continue;
      // A deleted plan is forgotten if no record of it was stored or remembered. An executed config counts as a record.
      if (now.isOver && !now.isNoted && !now.isSeen && !isExecuted(there)) this.#forget(asset, now);
    }
    for (const asset of cluster.machineConfigs.keys()) this.#thereAt.set(asset, this.#now);
  }

  #forget(asset: AssetName, { before }: Period): void {
    this.#periods.delete(asset);
    if (before === undefined) this.#releasedAt.delete(asset);
    else this.#releasedAt.set(asset, before);
  }

  said(before: KubeObject | undefined, after: KubeObject | undefined): void {
    for (const asset of assetNames) {
      const [was, is] = [before, after].map((hco) => ({
        autopilot: autopilotSays(saidBy(hco, "virt-platform-operator"), asset),
        own: saidBy(hco, switchOf[asset]),
        prune: saidBy(hco, "prune") === "true",
      }));
      if (was === undefined || is === undefined) continue;
      const isNamed = is.autopilot !== "nothing" && is.autopilot !== was.autopilot;
      if (isNamed || (is.own === "true" && was.own !== "true")) this.#askedAt.set(asset, this.#now + 0.5);
      const isOff = (own: string | undefined) => (asset === "swap-enable" ? own === "false" : own !== "true");
      if (is.prune && isOff(is.own) && (!was.prune || !isOff(was.own))) this.#pruneAskedAt.set(asset, this.#now + 0.5);
    }
  }

  wrote({ asset, verb }: ClusterWrite): void {
    const released = this.#releasedAt.get(asset) ?? -1;
    const asked = Math.max(
      this.#askedAt.get(asset) ?? -1,
      this.#thereAt.get(asset) ?? -1,
      verb === "delete" ? (this.#pruneAskedAt.get(asset) ?? -1) : -1,
    );
    // An object that existed at the hand-over stays managed, but is never pruned.
    const isAsked =
      verb === "delete"
        ? Math.max(this.#askedAt.get(asset) ?? -1, this.#pruneAskedAt.get(asset) ?? -1) >= released
        : asked >= released;
    if (released < 0 || isAsked) this.allowed += 1;
    else this.violations.push(`${verb} ${asset} at ${this.#now}, released at ${released}, asked at ${asked}`);
  }
}

function autopilotSays(text: string | undefined, asset: AssetName): "all" | "named" | "nothing" {
  if (text === "true") return "all";
  return (text ?? "").split(",").includes(asset) ? "named" : "nothing";
}

export type GovernedStatus = { readonly executedGeneration?: number; readonly items?: readonly unknown[] };

function isExecuted(config: KubeObject | undefined): boolean {
  const { executedGeneration, items } = (config?.["status"] ?? {}) as GovernedStatus;
  return executedGeneration !== undefined || items !== undefined;
}

function governing(config: KubeObject | undefined): boolean {
  const { action } = (config?.["spec"] ?? {}) as { readonly action?: string };
  return (
    config !== undefined && action !== "Ignore" && (config["status"] as GovernedStatus).executedGeneration !== undefined
  );
}
