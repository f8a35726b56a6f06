// The warnings of a plan for live migration.

import type { DryRunResult, PlannedItem } from "@virt/advisor";
import type { KubeObject } from "@virt/api";
import { type GovernorConfig, isGoverning } from "@virt/cluster";
import { asNumber, asText, equalJson, readBytes } from "@virt/objects";
import { hcoValue, hyperConverged } from "../hyperconverged.ts";
import { type Convergence, loadAware, type MigrationFacts, optionFields, section } from "./facts.ts";
import type { Options } from "./options.ts";

export function changesNetwork({ live, predicted }: DryRunResult): boolean {
  const [before, after] = [live, predicted].map((hco) => hcoValue(hco, section, "network") ?? null);
  return !equalJson(before ?? null, after ?? null);
}

/** Warns about the network after the dry run, because another client may own the current one. */
export function networkWarnings({ target }: PlannedItem, result: DryRunResult): readonly string[] {
  if (target.kind !== hyperConverged.kind || !changesNetwork(result)) return [];
  return [
    "Changing the migration network restarts virt-handler on every node and fails migrations in progress; reachability is not checked",
  ];
}

export function convergenceWarnings(convergence: Convergence | undefined): readonly string[] {
  if (convergence === "PostCopy") return ["PostCopy: a network failure during a migration loses the VM"];
  return convergence === "AutoConverge" ? ["AutoConverge slows down guests that change memory fast"] : [];
}

/** Includes the defaults of the CRD, which differ by version. */
function liveNumber(hco: KubeObject | undefined, option: keyof typeof optionFields): number | undefined {
  return asNumber(hcoValue(hco, section, optionFields[option]));
}

export function unreachableWarning(
  { perCluster, perNode }: Options,
  { hco, vmNodes }: MigrationFacts,
): readonly string[] {
  const count = vmNodes.nodes?.length ?? 0;
  if ((perCluster === undefined && perNode === undefined) || count === 0) return [];
  const wanted = perCluster ?? liveNumber(hco.object, "perCluster");
  const each = perNode ?? liveNumber(hco.object, "perNode");
  if (wanted === undefined || each === undefined) return [];
  return wanted > count * each ? [`perCluster ${wanted} cannot be reached: ${count} nodes x perNode ${each}`] : [];
}

/** Warns if the plan changes an input of an approved plan for load-aware rebalancing. */
export function loadAwareWarning(settings: Options, { hco, loadAware: found }: MigrationFacts): readonly string[] {
  if (found.kind !== "found") return [];
  const config = found.object as unknown as ConfigWithInputs;
  const inputs = config.status?.inputs ?? [];
  const isChanged = (option: "perCluster" | "perNode") => {
    const value = settings[option];
    const isInput = inputs.some((input) => input.name === optionFields[option]);
    return isInput && value !== undefined && value !== liveNumber(hco.object, option);
  };
  if (!isGoverning(config) || !(isChanged("perCluster") || isChanged("perNode"))) return [];
  return [`VirtPlatformConfig '${loadAware}' derives its eviction limits from these values and needs a new review`];
}

type ConfigWithInputs = GovernorConfig & {
  readonly status?: { readonly inputs?: readonly { readonly name: string }[] };
};

/** `bandwidth` is a quantity of bytes per second. `seconds` is the time per GiB after which a migration is canceled. */
type MigrationSpeed = { readonly bandwidth: string | undefined; readonly seconds: number | undefined };

type SpeedOptions = Pick<Options, "bandwidthPerMigration" | "completionSecondsPerGiB">;

/** Returns the speed in force after the plan. */
export function speedAfter(settings: SpeedOptions, hco: KubeObject | undefined): MigrationSpeed {
  return {
    bandwidth: settings.bandwidthPerMigration ?? asText(hcoValue(hco, section, optionFields.bandwidthPerMigration)),
    seconds: settings.completionSecondsPerGiB ?? liveNumber(hco, "completionSecondsPerGiB"),
  };
}

const gib = 2 ** 30;

/** Warns if the options set a bandwidth that is too low for the timeout. */
export function speedWarning(settings: SpeedOptions, { bandwidth, seconds }: MigrationSpeed): readonly string[] {
  const isGiven = settings.bandwidthPerMigration !== undefined || settings.completionSecondsPerGiB !== undefined;
  const rate = readBytes(bandwidth) ?? 0; // 0: no limit
  const needed = rate === 0 ? 0 : Math.ceil(gib / rate);
  if (!isGiven || seconds === undefined || needed <= seconds) return [];
  return [`At ${bandwidth} a GiB takes ${needed} seconds: migrations are cancelled`];
}
