// Reads objects that people keep in files: YAML with any number of documents, JSON, and lists.

import type { Json, KubeObject } from "@virt/api";
import { asList, asText, at, isMap, member } from "@virt/engine";
import { loadAll } from "js-yaml";

export type ObjectsText =
  | { readonly kind: "objects"; readonly objects: readonly KubeObject[] }
  | { readonly kind: "refused"; readonly reason: string };

/** Empty documents are skipped. Whatever is no object of Kubernetes refuses the whole text. */
export function readObjects(text: string): ObjectsText {
  let documents: readonly Json[];
  try {
    documents = loadAll(text, { maxAliases: 0 }) as readonly Json[];
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n", 1);
    return { kind: "refused", reason: `not YAML: ${line}` };
  }
  const given = documents.filter((document) => document !== null && document !== undefined).flatMap(itemsOf);
  const objects = given.filter(isObject);
  const other = given.findIndex((one) => !isObject(one));
  if (other !== -1) return { kind: "refused", reason: `object ${other + 1} has no apiVersion, kind and metadata.name` };
  return { kind: "objects", objects };
}

function itemsOf(document: Json): readonly Json[] {
  const isList = asText(member(document, "kind"))?.endsWith("List") === true && member(document, "items") !== undefined;
  return isList ? asList(member(document, "items")) : [document];
}

function isObject(value: Json): value is KubeObject {
  const texts = [member(value, "apiVersion"), member(value, "kind"), at(value, "metadata", "name")];
  return isMap(value) && texts.every((text) => asText(text) !== undefined && text !== "");
}
