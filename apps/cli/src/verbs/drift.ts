// `drift`: lists fields that differ from the plan, with their managers, and changed inputs.

import type { Ref } from "@virt/api";
import {
  ageText,
  type DriftRow,
  driftedTargets,
  driftRows,
  foreignText,
  type LiveTarget,
  type MovedInput,
  movedInputs,
  secondsSince,
} from "@virt/views";
import { type Block, nextBlock, textBlock } from "../blocks.ts";
import { requireConfig } from "../find-config.ts";
import { type SortKeys, sortRows } from "../sort-rows.ts";
import { exitCodes, type RunVerb } from "../verb.ts";
import { configName } from "./profiles.ts";

export const showDrift: RunVerb = async (context) => {
  const { words, session, printer, now, program, flag } = context;
  const configs = words.length === 0 ? await session().listConfigs() : [await requireConfig(context)];
  const targets = configs.flatMap(driftedTargets);
  const read = await Promise.all(targets.map(async (ref) => [keyOf(ref), await session().readTarget(ref)] as const));
  const live = new Map<string, LiveTarget>(read);
  const found = configs.flatMap((config) =>
    driftRows(config, (ref) => live.get(keyOf(ref)) ?? { kind: "unknown", message: "not read" }),
  );
  const rows = sortRows(found, flag("sort-by"), sortKeys);
  const inputs = configs.flatMap(movedInputs);
  const isAny = rows.length + inputs.length > 0;
  const drifted = rows[0]?.config ?? inputs[0]?.config;
  printer.print({
    type: "DriftList",
    data: { items: rows, inputs },
    names: [...new Set([...rows, ...inputs].map(({ config }) => configName(config)))],
    blocks: [
      ...(isAny ? [] : [textBlock("Nothing has drifted.")]),
      ...(rows.length === 0 ? [] : [driftTable(rows, now())]),
      ...(inputs.length === 0 ? [] : [inputTable(inputs)]),
      ...(drifted === undefined
        ? []
        : [nextBlock(`undo the change, or draft a new plan with: ${program} plan ${drifted}`)]),
    ],
  });
  return isAny ? exitCodes.reviewNeeded : exitCodes.done;
};

function keyOf({ apiVersion, kind, namespace = "", name }: Ref): string {
  return JSON.stringify([apiVersion, kind, namespace, name]);
}

const sortKeys: SortKeys<DriftRow> = {
  profile: ({ config }) => config,
  object: ({ target }) => `${target.kind} ${target.name}`,
  field: ({ field }) => field,
  wanted: ({ wanted }) => wanted,
  found: ({ found }) => found,
  by: ({ manager }) => manager,
  since: ({ since }) => since,
};

function driftTable(rows: readonly DriftRow[], now: number): Block {
  return {
    kind: "table",
    head: ["PROFILE", "OBJECT", "FIELD", "WANTED", "FOUND", "BY", "SINCE"],
    rows: rows.map(({ config, target, field, wanted, found, manager, operation, since, message }) => [
      config,
      `${target.kind} ${target.name}`,
      field || (message === undefined ? "(whole object)" : "(not read)"),
      foreignText(wanted),
      foreignText(found),
      message ??
        (manager === "" ? "unknown" : `${foreignText(manager)}${operation === undefined ? "" : ` (${operation})`}`),
      ageText(secondsSince(since, now) ?? 0),
    ]),
    wide: { head: ["NOTICED"], rows: rows.map(({ since = "-" }) => [since]) },
  };
}

function inputTable(inputs: readonly MovedInput[]): Block {
  return {
    kind: "table",
    head: ["PROFILE", "INPUT", "APPLIED", "NOW"],
    rows: inputs.map(({ config, name, applied, now }) => [config, name, foreignText(applied), foreignText(now)]),
  };
}
