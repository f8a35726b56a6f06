import type { Unit } from "./figures.ts";

export function shown(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return "none";
  if (unit === "×") return `${value.toFixed(2)}×`;
  const digits = unit === "count" || Math.abs(value) >= 100 ? 0 : 1;
  const text = value.toFixed(digits);
  return unit === "count" ? text : `${text} ${unit}`;
}

/** Formats a table. The first row is the header. The first column is left-aligned, the others are right-aligned. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return rows.map((row) => `  ${line(row)}\n`).join("");
}
