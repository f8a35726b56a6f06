// What other packages use of the engine.

export { canonicalJson } from "./canonical-json.ts";
export type { Json, JsonMap } from "./json.ts";
export { sha256 } from "./sha256.ts";
