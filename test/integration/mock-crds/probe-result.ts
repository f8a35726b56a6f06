// Summarizes an API server's answer to a probe, so that two servers are comparable.

import type { ApiResponse } from "@virt/testkit";
import { areNested, type Tree, valuesAt } from "./paths.ts";

export type ProbeResult =
  | { readonly kind: "accepted"; readonly seen: Tree }
  | { readonly kind: "refused"; readonly status: number; readonly complaints: readonly string[] };

type Refusal = {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string }[] };
};

export const manager = "probe";

/** Returns the values and owners of an accepted object, with defaults, or the faulty fields of a refused one. */
export function summarizeResponse({ status, body }: ApiResponse, paths: readonly string[]): ProbeResult {
  if (status === 200 || status === 201)
    return { kind: "accepted", seen: { ...readValues(body, paths), owned: owned(body) } };
  const { message = "", details } = body as Refusal;
  // "<nil>" only states that rules were not evaluated, which depends on rules for fields we do not use.
  const causes = (details?.causes ?? []).flatMap(({ field = "<nil>" }) => (field === "<nil>" ? [] : field));
  const unknown = [...message.matchAll(/unknown field "([^"]+)"/g)].flatMap(([, field]) => field ?? []);
  const fields = new Set([...causes, ...unknown]);
  return { kind: "refused", status, complaints: fields.size > 0 ? [...fields].toSorted() : [message] };
}

function readValues(body: unknown, paths: readonly string[]): Tree {
  const isInner = (path: string) => paths.some((other) => other.length > path.length && areNested(path, other));
  const describe = (path: string) => (isInner(path) ? outline : whole);
  return Object.fromEntries(paths.map((path) => [path, valuesAt(body, path).map(describe(path))]));
}

// Distinguishes absent from null, also in JSON.
function whole(value: unknown): unknown {
  return value === undefined ? "absent" : { value };
}

// Returns only the type, because the parts are compared separately and can include unused ones.
function outline(value: unknown): unknown {
  if (Array.isArray(value)) return `${value.length} elements`;
  return value === null || value === undefined ? whole(value) : typeof value;
}

function owned(body: unknown): unknown {
  const entries = valuesAt(body, "metadata.managedFields[]") as readonly Tree[];
  return entries.find((entry) => entry["manager"] === manager)?.["fieldsV1"];
}
