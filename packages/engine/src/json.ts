// JSON as data: what the API server sends and takes.

export type Json = null | boolean | number | string | readonly Json[] | JsonMap;

/** A property that is undefined counts as absent. */
export type JsonMap = { readonly [key: string]: Json | undefined };

export function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
