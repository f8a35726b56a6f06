// Returns the value at a dotted path as short JSON. Empty if the path does not exist.

import type { Json } from "@virt/api";
import { isMap } from "@virt/objects";

const most = 160;

export function shownValue(object: Json | undefined, field: string): string {
  let value: Json | undefined = object;
  for (const key of field.split(".").filter((part) => part !== "")) value = isMap(value) ? value[key] : undefined;
  if (value === undefined) return "";
  const text = JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
