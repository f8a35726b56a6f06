// Reads YAML that anybody may have written into an annotation: bounded, without aliases, nothing but JSON values.

import type { Json } from "@virt/api";
import { utf8Length } from "@virt/engine";
import { load } from "js-yaml";
import { shorten } from "./shorten.ts";

export type YamlText =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "refused"; readonly reason: string };

/** JSON is YAML. Keys given twice, tags of other types and a second document are refused. */
export function readYaml(text: string, mostBytes: number): YamlText {
  const bytes = utf8Length(text);
  if (bytes > mostBytes) return { kind: "refused", reason: `text exceeds ${mostBytes} bytes: ${bytes}` };
  if ([...text.matchAll(/^---/gm)].length > 1) return { kind: "refused", reason: "not YAML: more than one document" };
  try {
    return { kind: "value", value: load(text, limits) as Json };
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n", 1);
    return { kind: "refused", reason: `not YAML: ${shorten(line, 160)}` };
  }
}

// Nothing that is read here goes deeper than a list in an entry of a list.
const limits = { maxDepth: 8, maxAliases: 0 };
