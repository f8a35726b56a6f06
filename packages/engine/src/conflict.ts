// Completes what the server says of a conflict: it names field and manager, and we say how and when that manager took the field.

import type { Conflict } from "./cluster.ts";
import { pathsOf } from "./field-set.ts";
import { entriesOf, isMap, parseJson } from "./json.ts";
import type { Owner } from "./owners.ts";
import type { Path } from "./path.ts";

/** The field as the server writes it in a conflict's cause, with or without its leading dot. An unknown owner counts as one that updates. */
export function completeConflict(
  { field, manager }: Pick<Conflict, "field" | "manager">,
  live: readonly Owner[],
): Conflict {
  const name = field.replace(/^\./, "");
  const entries = live.filter((owner) => owner.manager === manager);
  const entry =
    entries.find(({ fields }) => pathsOf(fields).some((path) => conflictField(path) === name)) ?? entries[0];
  const time = entry?.time === undefined ? {} : { time: entry.time };
  return { field: name, manager, operation: entry?.operation ?? "Update", ...time };
}

/** `spec.containers[name="a"].image`, as structured-merge-diff prints paths, without the leading dot. */
function conflictField(path: Path): string {
  return path.map(elementText).join("").replace(/^\./, "");
}

function elementText(element: string): string {
  const content = element.slice(2);
  if (element.startsWith("f:")) return `.${content}`;
  if (element.startsWith("v:")) return `[=${content}]`;
  const keys = element.startsWith("k:") ? parseJson(content) : undefined;
  if (!isMap(keys)) return `[${content}]`;
  return `[${entriesOf(keys)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(",")}]`;
}
