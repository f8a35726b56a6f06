import { didYouMean } from "@virt/platform";
import { CliError } from "./verb.ts";

/** Functions that return the sort key of a row, by lower-case column name. Rows without a value come last. */
export type SortKeys<T> = Readonly<Record<string, (row: T) => string | number | undefined>>;

const texts = new Intl.Collator("en", { numeric: true });

/** Sorts rows by a column. The sort is stable. Without a column, the order does not change. */
export function sortRows<T>(rows: readonly T[], column: string | undefined, keys: SortKeys<T>): readonly T[] {
  if (column === undefined) return rows;
  const keyOf = Object.hasOwn(keys, column.toLowerCase()) ? keys[column.toLowerCase()] : undefined;
  if (keyOf === undefined) {
    const names = Object.keys(keys);
    throw new CliError(`--sort-by ${column}: must be one of ${names.join(", ")}${didYouMean(column, names)}`);
  }
  return rows.toSorted((left, right) => compare(keyOf(left), keyOf(right)));
}

function compare(left: string | number | undefined, right: string | number | undefined): number {
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  return typeof left === "number" && typeof right === "number" ? left - right : texts.compare(`${left}`, `${right}`);
}
