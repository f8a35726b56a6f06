// Prints the preview of an adoption.

import type { AdoptionView } from "@virt/views";
import { type Block, listBlock, type StyledText, type TextStyle, textBlock } from "../blocks.ts";
import { impactBlocks } from "../verbs/impact.ts";

export function adoptionBlocks({ rows, notes, summary, impact }: AdoptionView): readonly Block[] {
  const hasReasons = rows.some(({ why }) => why !== "");
  const hasOurs = rows.some(({ ours }) => ours !== "-");
  const columns = [
    { head: "OBJECT", cell: (row: Row) => row.object },
    ...(hasOurs
      ? [
          { head: "OURS", cell: (row: Row) => row.ours },
          { head: "EQUAL", cell: (row: Row) => row.equal },
        ]
      : []),
    { head: "ACTION", cell: (row: Row): StyledText => ({ text: row.action, style: styles[row.action] ?? "plain" }) },
    { head: "REBOOTS", cell: (row: Row) => `${row.reboots}` },
    ...(hasReasons ? [{ head: "WHY", cell: (row: Row) => row.why }] : []),
  ];
  const table: Block = {
    kind: "table",
    head: columns.map(({ head }) => head),
    rows: rows.map((row) => columns.map(({ cell }) => cell(row))),
  };
  return [
    ...(rows.length === 0 ? [] : [table]),
    ...notes.map(({ title, lines }) =>
      listBlock(
        title,
        lines.map((line) => `  ${line}`),
      ),
    ),
    textBlock(`Impact: ${summary}`),
    ...(impact === null ? [] : impactBlocks(impact)),
  ];
}

type Row = AdoptionView["rows"][number];

const styles: Readonly<Record<string, TextStyle>> = {
  "take over": "good",
  keep: "dim",
  replace: "bad",
  "takes over": "good",
  creates: "warning",
};
