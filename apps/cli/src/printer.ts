// Prints the result of a verb as a table, JSON, YAML or Markdown.

import type { Json } from "@virt/api";
import { escapeJson, escapeLine, escapeText, writeYaml } from "@virt/objects";
import { foreignText } from "@virt/views";
import type { Block, StyledText, TextStyle } from "./blocks.ts";
import { foldableParts, foldCell, foldLine } from "./fold-text.ts";
import { fillJsonPath } from "./jsonpath.ts";

/** The result of a verb. `type` and `data` are a stable interface for scripts. `blocks` are the human-readable form. */
export type VerbReport = {
  readonly type: string;
  readonly data: { readonly [key: string]: unknown };
  readonly blocks: readonly Block[];
  /** The names that `-o name` prints. Absent if the verb does not list objects. */
  readonly names?: readonly string[];
};

export type OutputFormat = "table" | "wide" | "name" | "json" | "yaml" | "jsonpath" | "markdown";

const outputVersion = "cli.advisor.kubevirt.io/v1";

export type PrinterOptions = {
  readonly format: OutputFormat;
  readonly template?: string;
  readonly isColored: boolean;
  /** The terminal width. Undefined if stdout is not a terminal, in which case lines are not wrapped. */
  readonly columns: number | undefined;
  readonly writeData: (text: string) => void;
  readonly writeProgress: (text: string) => void;
};

/** Writes data to stdout and progress to stderr. Escapes all control characters except our own colours. */
export class Printer {
  readonly #options: PrinterOptions;

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  get format(): OutputFormat {
    return this.#options.format;
  }

  get isTable(): boolean {
    return this.format === "table" || this.format === "wide";
  }

  print(report: VerbReport): void {
    this.#options.writeData(this.render(report));
  }

  printText(text: string): void {
    this.#options.writeData(escapeText(text));
  }

  render(report: VerbReport): string {
    const { format, template = "", isColored, columns } = this.#options;
    if (format === "name") return (report.names ?? []).map((name) => `${escapeLine(name)}\n`).join("");
    const blocks = report.blocks.map((block) => escapeBlock(format === "wide" ? widen(block) : block));
    if (this.isTable) return joinParts(blocks.map((block) => renderBlock(block, { isColored, columns })));
    if (format === "markdown") return renderMarkdown(blocks);
    const document = JSON.parse(
      JSON.stringify({ apiVersion: outputVersion, kind: report.type, ...report.data }),
    ) as Json;
    if (format === "jsonpath") return `${escapeText(fillJsonPath(template, document)).replace(/\n$/u, "")}\n`;
    return format === "json" ? `${escapeJson(JSON.stringify(document, null, 2))}\n` : escapeText(writeYaml(document));
  }

  progress(line: string): void {
    this.#options.writeProgress(`${escapeText(line)}\n`);
  }
}

function widen(block: Block): Block {
  if (block.kind !== "table" || block.wide === undefined) return block;
  const { head, rows, wide } = block;
  return { ...block, head: [...head, ...wide.head], rows: rows.map((row, at) => [...row, ...(wide.rows[at] ?? [])]) };
}

function escapeBlock(block: Block): Block {
  const escapeStyled = (text: StyledText): StyledText =>
    typeof text === "string" ? escapeLine(text) : { ...text, text: escapeLine(text.text) };
  switch (block.kind) {
    case "next":
      return { ...block, text: escapeLine(block.text) };
    case "diff":
      return { ...block, text: escapeText(block.text) };
    case "lines":
      return { ...block, lines: block.lines.map((line) => line.map(escapeStyled)) };
    case "table":
      return { ...block, head: block.head.map(escapeLine), rows: block.rows.map((row) => row.map(escapeStyled)) };
  }
}

const codes: Readonly<Record<TextStyle, string>> = {
  good: "32",
  bad: "31",
  warning: "33",
  dim: "2",
  bold: "1",
  plain: "",
};

type TextFormat = { readonly isColored: boolean; readonly columns: number | undefined };

function renderBlock(block: Block, format: TextFormat): string {
  const paint = (text: StyledText) => paintText(text, format.isColored);
  switch (block.kind) {
    case "lines":
      return block.lines
        .map((line) => `${foldLine(line.map(textOf).join(""), line.map(paint).join(""), format.columns)}\n`)
        .join("");
    case "table":
      return renderTable(block, format);
    case "diff":
      return block.text
        .split("\n")
        .map((line) => paint({ text: line, style: diffStyle(line) }))
        .join("\n");
    case "next":
      return `${foldLine(`Next: ${block.text}`, `${paint({ text: "Next:", style: "bold" })} ${block.text}`, format.columns)}\n`;
  }
}

function textOf(text: StyledText): string {
  return typeof text === "string" ? text : text.text;
}

function paintText(text: StyledText, isColored: boolean): string {
  if (typeof text === "string" || !isColored || codes[text.style] === "") return textOf(text);
  return `\u001B[${codes[text.style]}m${text.text}\u001B[0m`;
}

function diffStyle(line: string): TextStyle {
  if (line.startsWith("+++") || line.startsWith("---")) return "bold";
  if (line.startsWith("+")) return "good";
  if (line.startsWith("-")) return "bad";
  return line.startsWith("@@") ? "dim" : "plain";
}

type TableBlock = Extract<Block, { kind: "table" }>;

/** Wraps the last column to fit the remaining width. */
function renderTable({ head, rows }: TableBlock, format: TextFormat): string {
  const texts = [head, ...rows.map((row) => row.map(textOf))];
  const widths = head.map((_, at) => Math.max(...texts.map((row) => (row[at] ?? "").length)));
  const lead = widths.slice(0, -1).reduce((sum, width) => sum + width + 3, 0);
  const room = format.columns === undefined ? Number.POSITIVE_INFINITY : format.columns - lead;
  const longestWord = Math.max(...texts.flatMap((row) => foldableParts(row.at(-1) ?? "").map(({ length }) => length)));
  const isTooWide = (widths.at(-1) ?? 0) > room;
  if (isTooWide && room < Math.max(leastFolded, longestWord))
    return renderRecords({ kind: "table", head, rows }, format);
  const line = (row: readonly StyledText[]) => {
    const cells = row.slice(0, -1).map((cell, at) => {
      const pad = " ".repeat((widths[at] ?? 0) - textOf(cell).length);
      return `${paintText(cell, format.isColored)}${pad}   `;
    });
    const last = row.at(-1) ?? "";
    const [first = "", ...rest] = textOf(last).length > room ? foldCell(textOf(last), room) : [last];
    const style = typeof last === "string" ? "plain" : last.style;
    const paint = (text: StyledText) =>
      paintText(typeof text === "string" ? { text, style } : text, format.isColored).trimEnd();
    return [`${cells.join("")}${paint(first)}`.trimEnd(), ...rest.map((text) => `${" ".repeat(lead)}${paint(text)}`)];
  };
  return [head, ...rows]
    .flatMap(line)
    .map((text) => `${text}\n`)
    .join("");
}

const leastFolded = 28;

/** Prints each row as separate lines, for tables that are too wide. */
function renderRecords({ head, rows }: TableBlock, format: TextFormat): string {
  const width = Math.max(...head.map((name) => name.length));
  const record = (row: readonly StyledText[]) =>
    row.flatMap((cell, at) => {
      const label = `${head[at] ?? ""}:`.padEnd(width + 2);
      if (textOf(cell) === "") return [];
      const lead = at === 0 ? "" : "  ";
      return [
        foldLine(
          `${lead}${label}${textOf(cell)}`,
          `${lead}${label}${paintText(cell, format.isColored)}`,
          format.columns,
        ),
      ];
    });
  return rows.map((row) => `${record(row).join("\n")}\n`).join("\n");
}

function renderMarkdown(blocks: readonly Block[]): string {
  const cell = (text: StyledText) => foreignText(textOf(text), 400).replaceAll("\\", "\\\\").replaceAll("|", "\\|");
  const parts = blocks.map((block) => {
    switch (block.kind) {
      case "lines":
        return block.lines.map((line) => `- ${cell(line.map(textOf).join("").trim())}\n`).join("");
      case "table":
        return [block.head, block.head.map(() => "---"), ...block.rows]
          .map((row) => `| ${row.map(cell).join(" | ")} |\n`)
          .join("");
      case "diff": {
        const fence = "`".repeat(Math.max(3, ...[...block.text.matchAll(/`+/gu)].map(([run]) => run.length + 1)));
        return `${fence}diff\n${block.text.replace(/\n?$/u, "\n")}${fence}\n`;
      }
      case "next":
        return `**Next:** ${cell(block.text)}\n`;
    }
  });
  return joinParts(parts);
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}
