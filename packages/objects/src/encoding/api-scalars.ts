// Parses and formats API scalars: RFC 3339 times, durations and quantities.

import type { Json } from "../json/json.ts";

const rfc3339 =
  /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(Z|[-+](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** Returns milliseconds, without fractions, or undefined if invalid. */
export function readTime(text: string): number | undefined {
  const [, date = "", clock = "", fraction = "0", zone = ""] = rfc3339.exec(text) ?? [];
  // `Date` would accept 30 February as 1 March.
  if (!isDate(date)) return undefined;
  return Date.parse(`${date}T${clock}.${fraction.slice(0, 3)}${zone.toUpperCase()}`);
}

function isDate(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** Writes milliseconds only if they are not zero. Supports the years 0 to 9999. */
export function writeTime(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

const secondsIn: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** Parses a Go duration such as `1h30m`. Undefined if invalid. */
export function readDurationSeconds(value: Json): number | undefined {
  if (
    typeof value !== "string" ||
    !/^(?:[0-9]+(?:\.[0-9]*)?(?:ns|us|\u00b5s|ms|s|m|h))+$/.test(value) ||
    value.length > 64
  )
    return undefined;
  return [...value.matchAll(/([0-9.]+)([a-z\u00b5]+)/g)].reduce(
    (sum, [, count = "", unit = ""]) => sum + Number(count) * (secondsIn[unit] ?? 0),
    0,
  );
}

const suffixes: Readonly<Record<string, number>> = {
  "": 1,
  ...Object.fromEntries(["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].map((unit, at) => [unit, 1000 ** (at - 3)])),
  ...Object.fromEntries(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((unit, at) => [unit, 1024 ** (at + 1)])),
};

/** Parses a number or a quantity such as `1500m` or `1Gi`. Undefined if invalid. */
export function readQuantity(value: Json): number | undefined {
  if (typeof value === "number") return value;
  const [, amount = "", unit = ""] =
    typeof value === "string" && value.length <= 64
      ? (/^([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)([numkMGTPE]|[KMGTPE]i)?$/.exec(value) ?? [])
      : [];
  return amount === "" ? undefined : Number(amount) * (suffixes[unit] ?? 1);
}

/** Returns undefined if invalid. Custom resources keep the written form, such as `131486020Ki`, `8e9` or a number. */
export function readBytes(quantity: Json | undefined): number | undefined {
  const bytes = quantity === undefined ? undefined : readQuantity(quantity);
  return bytes !== undefined && Number.isFinite(bytes) && bytes >= 0 ? bytes : undefined;
}
