// Checks data from a file against a shape, and names what is wrong by its path.

import { entriesOf, isList, isMap, type Json } from "@virt/engine";

/** Complaints, none if all is well; each begins with its path. */
export type Check = (value: Json, path: string) => readonly string[];

const expect =
  (isGood: (value: Json) => boolean, wanted: string): Check =>
  (value, path) =>
    isGood(value) ? [] : [`${path}: must be ${wanted}, not ${JSON.stringify(value).slice(0, 40)}`];

export const text = expect((value) => typeof value === "string" && value !== "", "text");
export const textOrNull = expect((value) => value === null || typeof value === "string", "text or null");
export const truth = expect((value) => typeof value === "boolean", "true or false");
export const count = expect(
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1000,
  "a whole number from 1 to 1000",
);
export const amount = expect((value) => typeof value === "number" && value >= 0, "a number from 0");
export const limit = expect(
  (value) =>
    (Number.isInteger(value) && Number(value) >= 1) || (typeof value === "string" && /^[0-9]{1,3}%$/.test(value)),
  'a whole number from 1, or a share such as "10%"',
);
export const anyMap = expect(isMap, "a map");
export const name = expect(
  (value) => typeof value === "string" && /^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$/.test(value),
  "a name of small letters, digits and dashes",
);

export function oneOf(...allowed: readonly string[]): Check {
  return expect((value) => typeof value === "string" && allowed.includes(value), `one of ${allowed.join(", ")}`);
}

export function listOf(check: Check): Check {
  return (value, path) =>
    isList(value) ? value.flatMap((part, place) => check(part, `${path}[${place}]`)) : [`${path}: must be a list`];
}

export function mapOf(check: Check): Check {
  return (value, path) =>
    isMap(value)
      ? entriesOf(value).flatMap(([key, part]) => check(part, `${path}.${key}`))
      : [`${path}: must be a map`];
}

/** A name that ends with `?` may be left out. What is not named may not be there. */
export function shape(members: Readonly<Record<string, Check>>): Check {
  const known = new Map(Object.entries(members).map(([key, check]) => [key.replace(/\?$/, ""), check]));
  const needed = Object.keys(members).filter((key) => !key.endsWith("?"));
  return (value, path) => {
    if (!isMap(value)) return [`${path || "scenario"}: must be a map`];
    const under = (key: string) => (path === "" ? key : `${path}.${key}`);
    const missing = needed.filter((key) => value[key] === undefined).map((key) => `${under(key)}: is missing`);
    const wrong = entriesOf(value).flatMap(([key, part]) => {
      const check = known.get(key);
      return check === undefined
        ? [`${under(key)}: is not known here; known are ${[...known.keys()].join(", ")}`]
        : check(part, under(key));
    });
    return [...missing, ...wrong];
  };
}
