// Formats `status`: the state of each config, pool progress, nodes, findings and the next step.

import type { VirtPlatformConfig } from "@virt/api";
import {
  ageText,
  type CountVms,
  expectedRollout,
  type FindingView,
  gapText,
  isRolloutCurrent,
  leftBehindNotice,
  type NextStep,
  type NodeProgressView,
  nextStepText,
  type PlatformOperators,
  type PoolProgressView,
  phaseWord,
  planName,
  profileRow,
  type RollingPool,
  type RolloutProgressView,
  rejectionText,
  uncheckedText,
  viewRollout,
} from "@virt/views";
import { optionLines } from "./blocker-blocks.ts";
import { type Block, nextBlock, type StyledText, textBlock } from "./blocks.ts";
import { conditionMessage } from "./condition-message.ts";
import { targetText } from "./plan-blocks.ts";
import { phaseStyle } from "./verbs/profiles.ts";

export type StatusOptions = {
  readonly now: number;
  readonly program: string;
  readonly countVms: CountVms;
  /** True with `--watch`. Omits the hint to run `--watch`. */
  readonly isWatching?: boolean;
  readonly isWide?: boolean;
  /** True if the user named a config. The output then lists its items. */
  readonly isDetailed: boolean;
  /** All updating pools in the cluster. Undefined if the user may not list pools. */
  readonly rolling: readonly RollingPool[] | undefined;
  /** Absent if the user named a config, or there is no readable report of the platform controller. */
  readonly operators?: PlatformOperators | undefined;
};

export function statusData(config: VirtPlatformConfig, { now, countVms }: StatusOptions) {
  const { status = {} } = config;
  const rollout = viewRollout(config, now, countVms);
  const items = (status.items ?? []).map(({ name, targetRef, state, message }) => ({
    name,
    targetRef,
    state,
    message,
  }));
  return { ...profileRow(config, now), message: conditionMessage(config), items, ...(rollout && { rollout }) };
}

export function statusBlocks(config: VirtPlatformConfig, options: StatusOptions): readonly Block[] {
  const { now, countVms, program, isDetailed, isWatching = false, isWide = false } = options;
  const { status = {} } = config;
  const row = profileRow(config, now);
  const phase = phaseWord(row) ?? "not processed yet";
  const plan = row.planHash === undefined ? "" : `   plan ${planName(row.planHash)}`;
  const rollout = shownRollout(config, { now, countVms, isDetailed });
  const warn = (text: string) => ({ text: `  ${text}`, style: "warning" }) as const;
  const text = textBlock(
    [
      { text: row.name, style: "bold" },
      "   ",
      { text: phase, style: phaseStyle(row.phase ?? "", row.isStalled) },
      `   ${row.action}   impact ${row.impact ?? "-"}${plan}`,
    ],
    ...(status.phase === "Ignored" || status.phase === undefined ? [] : [`  ${conditionMessage(config)}`]),
    ...(row.leftBehind === undefined ? [] : [warn(leftBehindNotice(row.leftBehind))]),
    ...(row.impactSummary === undefined || status.phase !== "ReviewRequired" ? [] : [`  Impact: ${row.impactSummary}`]),
    ...(row.rejection === undefined ? [] : [warn(`Rejected: ${rejectionText(row.rejection)}`)]),
    ...(isDetailed || status.phase === "InProgress" ? itemLines(config) : []),
    ...(rollout === undefined ? [] : [...rolloutLines(rollout, isWide), ...uncheckedLines(rollout)]),
  );
  return [text, nextBlock(nextStepText(isWatching ? withoutWatch(row.next) : row.next, program))];
}

/** Returns the rollout of the current plan. Returns undefined if there is none, or if it belongs to an earlier plan. */
export function shownRollout(
  config: VirtPlatformConfig,
  { now, isDetailed, countVms }: Pick<StatusOptions, "now" | "isDetailed"> & { readonly countVms?: CountVms },
): RolloutProgressView | undefined {
  const rollout = viewRollout(config, now, countVms);
  const hasBegun = expectedRollout(config) === undefined;
  return hasBegun && rollout !== undefined && (isRolloutCurrent(rollout) || isDetailed) ? rollout : undefined;
}

function withoutWatch({ verb, text, ...step }: NextStep): NextStep {
  if (verb?.includes("--watch") !== true) return { ...step, text, ...(verb !== undefined && { verb }) };
  const [state = "", advice] = text.split("; to follow", 2);
  return { ...step, text: advice === undefined ? "wait until the rollout is done" : state };
}

const itemSigns = { Pending: ".", InProgress: ">", Completed: "+", Failed: "!" } as const;

function itemLines({ status = {} }: VirtPlatformConfig): StyledText[][] {
  return (status.items ?? []).map((item) => {
    const style = item.state === "Failed" ? "bad" : item.state === "Completed" ? "good" : "plain";
    return ["  ", { text: `${itemSigns[item.state]} ${item.state.padEnd(10)}`, style }, ` ${targetText(item)}`];
  });
}

export function rolloutLines(rollout: RolloutProgressView, isWide = false): StyledText[][] {
  const end =
    rollout.remaining === undefined ? "" : `, about ${rollout.remaining.text} left if nothing blocks the rollout`;
  const inHand = rollout.nodes.filter((node) => node.isInHand || node.phase === "Degraded");
  const { findings } = rollout.more;
  return [
    [{ text: `  Rollout: ${poolSum(rollout.pools)}${end}`, style: "bold" }],
    ...rollout.pools.map((pool) => poolLine(pool, widest(rollout.pools.map(({ name }) => name)))),
    ...inHand.map((node) => nodeLine(node, widest(inHand.map(({ name }) => name)), isWide)),
    ...waitingLines(rollout),
    ...rollout.findings.flatMap((finding) => findingLines(finding, isWide)),
    ...(findings === 0 ? [] : [[`    and ${findings} more findings`]]),
    ...stoppedLines(rollout.stopped),
  ];
}

function uncheckedLines(rollout: RolloutProgressView): StyledText[][] {
  const text = uncheckedText(rollout);
  if (text === undefined) return [];
  return [[{ text: `    ${text}`, style: "warning" }], ...rollout.notAssessed.map((gap) => [`      ${gapText(gap)}`])];
}

function stoppedLines(stopped: RolloutProgressView["stopped"]): StyledText[][] {
  if (stopped === undefined) return [];
  const { vms, more } = stopped;
  const rest = vms.length === 0 ? `${more} ${more === 1 ? "VM" : "VMs"} (names are not shown)` : `and ${more} more`;
  return [
    [{ text: "    VMs that stopped during the rollout and were not running when it ended:", style: "warning" }],
    ...vms.map(({ name, command }) => [`      ${name}${command === undefined ? "" : `: ${command}`}`]),
    ...(more === 0 ? [] : [[`      ${rest}`]]),
  ];
}

const mostNamed = 3;

function waitingLines({ nodes, pools }: RolloutProgressView): StyledText[][] {
  const names = nodes.filter(({ phase }) => phase === "Waiting").map(({ name }) => name);
  const total = pools.reduce((sum, { waiting }) => sum + waiting, 0);
  const named = names.slice(0, mostNamed);
  if (named.length === 0) return [];
  const rest = total > named.length ? ` and ${total - named.length} more` : "";
  return [[{ text: `    then ${named.join(", ")}${rest}`, style: "dim" }]];
}

function poolSum(pools: readonly PoolProgressView[]): string {
  const sum = (of: (pool: PoolProgressView) => number) => pools.reduce((total, pool) => total + of(pool), 0);
  return `${sum((pool) => pool.updated)} of ${sum((pool) => pool.total)} nodes updated`;
}

const barWidth = 20;

function poolLine(pool: PoolProgressView, width: number): StyledText[] {
  const { name, total, updated, updating, waiting, degraded } = pool;
  const cells = (count: number) => Math.round((count / Math.max(1, total)) * barWidth);
  const ends = [updated, updated + updating, updated + updating + waiting, total].map(cells);
  const part = (at: number, sign: string) => sign.repeat(Math.max(0, (ends[at] ?? 0) - (ends[at - 1] ?? 0)));
  const counts = [
    `${updated} of ${total} updated`,
    ...(updating > 0 ? [`${updating} updating`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(degraded > 0 ? [`${degraded} degraded`] : []),
  ];
  return [
    `    ${name.padEnd(width)}  [`,
    { text: part(0, "#"), style: "good" },
    { text: part(1, ">"), style: "warning" },
    { text: part(2, "."), style: "dim" },
    { text: part(3, "!"), style: "bad" },
    `]  ${counts.join(", ")}`,
  ];
}

function nodeLine(
  { name, phase, seconds, since, vms, step }: NodeProgressView,
  width: number,
  isWide: boolean,
): StyledText[] {
  const words = [
    ...(seconds === undefined ? [] : [`for ${ageText(seconds)}${sinceText(since, isWide)}`]),
    ...(vms === undefined ? [] : [`${vms} ${vms === 1 ? "VM" : "VMs"} left`]),
    ...(step === undefined || phase !== "Applying" ? [] : [`step ${step}`]),
  ];
  const style = phase === "Degraded" ? "bad" : "warning";
  return [`    ${name.padEnd(width)}  `, { text: phase.padEnd(11), style }, `  ${words.join(", ")}`];
}

function sinceText(since: string | undefined, isWide: boolean): string {
  return isWide && since !== undefined ? ` since ${since}` : "";
}

const findingSigns = { blocking: "! blocking", warning: "! warning", info: "i info" } as const;

export function findingLines(
  { severity, message, command, options = [], seconds, since, node }: FindingView,
  isWide = false,
): StyledText[][] {
  const style = severity === "blocking" ? "bad" : severity === "warning" ? "warning" : "dim";
  const age = seconds === undefined ? "" : ` (${ageText(seconds)}${sinceText(since, isWide)})`;
  const where = node === undefined || message.includes(node) ? "" : ` on ${node}`;
  return [
    ["    ", { text: findingSigns[severity], style }, `  ${message}${where}${age}`],
    ...optionLines(options, "        "),
    ...(command === undefined ? [] : [[`        ${command}`]]),
  ];
}

function widest(words: readonly string[]): number {
  return Math.max(0, ...words.map((word) => word.length));
}
