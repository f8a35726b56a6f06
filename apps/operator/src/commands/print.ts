// Prints data in the format that was asked for.

import type { Json } from "@virt/api";
import { writeYaml } from "@virt/engine";
import type { Format } from "./input-flags.ts";

/** For programs; people get a table. */
export function printed(value: unknown, format: Exclude<Format, "status">): string {
  const json = JSON.parse(JSON.stringify(value)) as Json;
  return format === "json" ? `${JSON.stringify(json, null, 2)}\n` : writeYaml(json);
}
