// Formats a plan: summary, items, conflicts, warnings, hash and next step.

import type { Item, Status, VirtPlatformConfig } from "@virt/api";
import {
  ageText,
  executionSettings,
  executionText,
  foreignText,
  nextStepOf,
  nextStepText,
  planName,
  profileRow,
  readDiff,
  readRejection,
  rejectionText,
} from "@virt/views";
import { blockerCount, impactData } from "./blocker-blocks.ts";
import { type Block, nextBlock, type StyledText, textBlock } from "./blocks.ts";
import { conditionMessage } from "./condition-message.ts";

export function planData(config: VirtPlatformConfig, now: number): { readonly [key: string]: unknown } {
  const { status = {}, spec } = config;
  const items = (status.items ?? []).map(({ desiredState: _desired, reviewed: _reviewed, ...item }) => item);
  const { disruption = [], impact, warnings = [] } = status;
  const row = profileRow(config, now);
  const { failurePolicy, bypassOptimisticLock, waitTimeout, guards } = spec;
  const execution = {
    failurePolicy,
    bypassOptimisticLock,
    ...(waitTimeout && { waitTimeout }),
    ...(guards && { guards }),
  };
  return {
    ...row,
    options: spec.options ?? {},
    execution,
    disruption,
    ...(impact && { impact: impactData(impact) }),
    warnings,
    items,
  };
}

type PlanOptions = { readonly now: number; readonly program: string; readonly isWide?: boolean };

export function planBlocks(config: VirtPlatformConfig, options: PlanOptions): readonly Block[] {
  const { now, program, isWide = false } = options;
  const { metadata, status = {} } = config;
  const { items = [], planHash, phase = "-", impactSeverity = "-" } = status;
  const changes = items.filter((item) => item.changes).length;
  const head = textBlock(
    [{ text: metadata.name, style: "bold" }, `   ${phase}   impact ${impactSeverity}`],
    ...(planHash === undefined ? [] : [`Plan:     ${planName(planHash)}${waitingText(config, now, isWide)}`]),
    ...(phase === "ReviewRequired"
      ? [`Changes:  ${changes} of ${items.length} objects`]
      : [`State:    ${conditionMessage(config)}`]),
    `Impact:   ${impactText(config)}`,
    ...(phase === "ReviewRequired" ? blockerLines(config, program) : []),
    ...(planHash === undefined ? [] : [executionLine(config)]),
    ...rejectionLines(config),
  );
  return [
    head,
    ...(items.length === 0 ? [] : [itemTable(items)]),
    ...conflictBlocks(items),
    warningBlock(status),
    ...(phase === "ReviewRequired" ? [pinAdvice] : []),
    nextBlock(nextStepText(nextStepOf(config), program)),
  ];
}

function waitingText(config: VirtPlatformConfig, now: number, isWide: boolean): string {
  const { planSeconds, planSince } = profileRow(config, now);
  if (planSeconds === undefined) return "";
  const since = isWide && planSince !== undefined ? ` since ${foreignText(planSince)}` : "";
  return ` (waiting for review for ${ageText(planSeconds)}${since})`;
}

/** Advises the user to approve a specific plan hash. Without one, Apply runs any plan that is current at that time. */
const pinAdvice = textBlock(
  "Approve by hash to set spec.approvedPlan, so that only this plan runs. action: Apply alone skips the review.",
);

export function impactText({ status }: VirtPlatformConfig): string {
  const { impact } = status ?? {};
  return impact === undefined ? "VM impact: not assessed" : foreignText(impact.summary, 512);
}

function blockerLines({ metadata, status }: VirtPlatformConfig, program: string): StyledText[][] {
  const count = status?.impact && blockerCount(status.impact);
  if (count === undefined) return [];
  const options = `To see the options, run: ${program} impact ${metadata.name}`;
  return [["Blockers: ", { text: `${count}.`, style: "warning" }, ` ${options}`]];
}

/** Every view of a plan shows these settings, because they are approved together with the plan. */
function executionLine({ spec }: VirtPlatformConfig): StyledText[] {
  const isWeakened = executionSettings(spec).some(({ weakens }) => weakens !== undefined);
  const text = executionText(spec);
  return ["Settings: ", isWeakened ? { text, style: "warning" } : text];
}

function rejectionLines(config: VirtPlatformConfig): StyledText[][] {
  const rejection = readRejection(config);
  if (rejection === undefined) return [];
  return [[{ text: `Rejected: ${rejectionText(rejection)}`, style: "warning" }]];
}

function itemTable(items: readonly Item[]): Block {
  return {
    kind: "table",
    head: ["ITEM", "OBJECT", "CHANGE", "IMPACT", "STATE"],
    rows: items.map((item) => [item.name, targetText(item), changeText(item), item.impactSeverity, item.state]),
  };
}

export function targetText({ targetRef: { kind, name, namespace } }: Pick<Item, "targetRef">): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function changeText({ changes, operation, diff, reviewed }: Item): StyledText {
  if (!changes) return { text: "= unchanged", style: "dim" };
  if (operation === "Delete") return { text: "- deletes", style: "bad" };
  const { added, removed } = readDiff(diff);
  if (reviewed?.uid === "") return { text: `+ creates (${added} lines)`, style: "good" };
  return { text: `~ changes (+${added} -${removed})`, style: "warning" };
}

function conflictBlocks(items: readonly Item[]): readonly Block[] {
  const rows = items.flatMap((item) =>
    (item.conflicts ?? []).map(({ field, manager, operation, time = "-" }) => [
      targetText(item),
      field,
      foreignText(manager),
      operation,
      time,
    ]),
  );
  if (rows.length === 0) return [];
  return [
    textBlock({
      text: "Conflicts: applying this plan takes these fields over from other field managers",
      style: "warning",
    }),
    { kind: "table", head: ["OBJECT", "FIELD", "MANAGER", "OPERATION", "SINCE"], rows },
  ];
}

function warningBlock({ items = [], warnings: shared = [] }: Status): Block {
  const line = (text: string): StyledText[] => [{ text: "! ", style: "warning" }, text];
  return textBlock(
    ...shared.map((warning) => line(foreignText(warning, 400))),
    ...items.flatMap(({ name, warnings = [] }) =>
      warnings.map((warning) => line(`${name}: ${foreignText(warning, 400)}`)),
    ),
  );
}
