// Formats the VMs and pods that would block a plan's node drains, with the remedies for each.

import type { Impact, ImpactEntry } from "@virt/api";
import { type BlockerRemedy, blockerRemedies, foreignText } from "@virt/views";
import { type Block, type StyledText, textBlock } from "./blocks.ts";

export function impactData(impact: Impact) {
  return { ...impact, blockers: impact.blockers.map((entry) => ({ ...entry, options: blockerRemedies(entry) })) };
}

/** Remedies for more blockers would push the rest of the plan off the screen. */
const mostWithOptions = 5;

/** Prints remedies for the first blockers only. `details` is the command that prints all of them. */
export function blockerBlocks(
  { blockers, more }: Pick<Impact, "blockers" | "more">,
  details: string | undefined,
): readonly Block[] {
  if (blockers.length + more.blockers === 0) return [];
  const rest = blockers.slice(mostWithOptions);
  return [
    textBlock({ text: "! Blocks the drain until you act:", style: "warning" }),
    ...blockers.slice(0, mostWithOptions).map((entry) => textBlock(...blockerLines(entry))),
    ...(rest.length === 0 ? [] : [entryTable(rest)]),
    ...(rest.length === 0 || details === undefined
      ? []
      : [textBlock(`To see the options of these ${rest.length} as well, run: ${details}`)]),
    ...moreBlocks(more.blockers),
  ];
}

function blockerLines(entry: ImpactEntry): StyledText[][] {
  const { node, reason } = entry;
  return [
    [{ text: objectText(entry), style: "bold" }, ` on ${node}: ${foreignText(reason)}`],
    ...optionLines(blockerRemedies(entry), "  "),
  ];
}

export function optionLines(options: readonly BlockerRemedy[], indent: string): StyledText[][] {
  if (options.length === 0) return [];
  return [
    [`${indent}Options, least disruptive first:`],
    ...options.flatMap(({ text, consequence, command }, at) => [
      [`${indent}${at + 1}. ${text} ${consequence}`],
      ...(command === undefined ? [] : [[`${indent}   ${command}`]]),
    ]),
  ];
}

export function entryTable(entries: readonly ImpactEntry[]): Block {
  const rows = entries.map((entry) => [entry.node, objectText(entry), foreignText(entry.reason)]);
  return { kind: "table", head: ["NODE", "OBJECT", "REASON"], rows };
}

function objectText({ kind, namespace, name }: ImpactEntry): string {
  return `${kind} ${namespace}/${name}`;
}

export function moreBlocks(more: number, what = ""): readonly Block[] {
  return more === 0 ? [] : [textBlock(`and ${more} more ${what}`.trimEnd())];
}

/** Returns the number of blocking VMs and pods, or undefined if nothing is blocking. */
export function blockerCount({ vms, pods }: Pick<Impact, "vms" | "pods">): string | undefined {
  const counts = [
    { count: vms?.block ?? 0, noun: "VM" },
    { count: pods?.block ?? 0, noun: "pod" },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return undefined;
  const sum = counts.reduce((total, { count }) => total + count, 0);
  const named = counts.map(({ count, noun }) => `${count} ${noun}${count === 1 ? "" : "s"}`).join(" and ");
  return `${named} ${sum === 1 ? "blocks" : "block"} the drain until you act`;
}
