// The hash of a JSON value: equal content gives an equal hash, whatever the order of keys.

import { canonicalJson } from "./canonical-json.ts";
import type { Json } from "./json.ts";
import { sha256 } from "./sha256.ts";

/** SHA-256 of the canonical JSON, as lower-case hex. */
export function digest(value: Json): string {
  return sha256(canonicalJson(value));
}
