import { severities } from "@virt/api";
import {
  ageText,
  leftBehindCount,
  nextStepText,
  type ProfileRow,
  phaseWord,
  planName,
  profileRows,
  progressCount,
} from "@virt/views";
import { type Block, nextBlock, type StyledText, type TextStyle, textBlock } from "../blocks.ts";
import { type SortKeys, sortRows } from "../sort-rows.ts";
import { exitCodes, type RunVerb } from "../verb.ts";

export const listProfiles: RunVerb = async ({ session, printer, now, program, flag }) => {
  const rows = sortRows(profileRows(await session().listConfigs(), now()), flag("sort-by"), sortKeys);
  const urgent =
    rows.find(({ next }) => next.kind !== "done" && next.kind !== "start") ??
    rows.find(({ next }) => next.kind === "start");
  printer.print({
    type: "ProfileList",
    data: { items: rows },
    names: rows.map(({ name }) => configName(name)),
    blocks: [
      rows.length === 0 ? textBlock(noProfilesText) : profileTable(rows),
      ...(urgent === undefined ? [] : [nextBlock(`${urgent.name}: ${nextStepText(urgent.next, program)}`)]),
    ],
  });
  return exitCodes.done;
};

function profileTable(rows: readonly ProfileRow[]): Block {
  return {
    kind: "table",
    head: ["PROFILE", "ACTION", "PHASE", "IMPACT", "DRIFT", "PLAN", "NEXT"],
    rows: rows.map((row) => profileCells(row)),
    wide: {
      head: ["PLAN HASH", "PLAN SINCE", "DESCRIPTION", "DOCUMENTATION"],
      rows: rows.map(({ planHash, planSince = "-", description = "-", documentation = "-" }) => [
        planHash === undefined ? "-" : planName(planHash),
        planSince,
        description,
        documentation,
      ]),
    },
  };
}

export const noProfilesText =
  "No VirtPlatformConfigs found. The advisor may not be running, or advertising may be disabled.";

/** Returns the name in kubectl's `resource.group/name` form. */
export function configName(name: string): string {
  return `virtplatformconfig.advisor.kubevirt.io/${name}`;
}

const sortKeys: SortKeys<ProfileRow> = {
  profile: ({ name }) => name,
  action: ({ action }) => action,
  phase: (row) => phaseWord(row),
  impact: ({ impact }) => (impact === undefined ? undefined : severities.indexOf(impact)),
  drift: ({ isDrifted }) => (isDrifted ? 0 : 1),
  plan: ({ planSeconds }) => planSeconds,
  next: ({ next }) => nextWord[next.kind],
};

function profileCells(row: ProfileRow): readonly StyledText[] {
  const { name, action, phase = "-", impact = "-", isDrifted, planSeconds, rejection } = row;
  const word = phaseWord(row) ?? "-";
  const count = progressCount(row) ?? leftBehindCount(row);
  const shown = count === undefined ? word : `${word} (${count})`;
  const plan =
    rejection !== undefined ? "rejected" : planSeconds === undefined ? "-" : `waiting ${ageText(planSeconds)}`;
  return [
    name,
    action,
    { text: shown, style: phaseStyle(phase, row.isStalled) },
    impact,
    isDrifted ? { text: "drifted", style: "warning" } : "-",
    plan,
    nextWord[row.next.kind],
  ];
}

const nextWord: Readonly<Record<ProfileRow["next"]["kind"], string>> = {
  done: "-",
  wait: "wait",
  start: "plan",
  review: "review, approve",
  decide: "decide",
  replan: "plan again",
  repair: "repair",
  unblock: "unblock",
};

export function phaseStyle(phase: string, isStalled: boolean): TextStyle {
  if (isStalled || phase === "Failed" || phase === "CompletedWithErrors") return "bad";
  if (phase === "Completed") return "good";
  return phase === "Ignored" || phase === "-" ? "dim" : "warning";
}
