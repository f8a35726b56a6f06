// What no render may return: a test refuses it for every asset.

import { type JsonMap, managedByLabel } from "@virt/api";
import { entriesOf, isMap } from "@virt/engine";
import type { Asset } from "./asset.ts";
import { annotationPrefix } from "./hco-annotations.ts";

const metadataKeys: ReadonlySet<string> = new Set(["name", "namespace", "labels", "annotations"]);

/** What is wrong with an object that an asset rendered. The place is what `$hco` and `$operator` stand for. */
export function renderFaults(asset: Asset, object: JsonMap, namespace: string | undefined): readonly string[] {
  const { target } = asset;
  const metadata = isMap(object["metadata"]) ? object["metadata"] : {};
  const keysOf = (part: string) => (isMap(metadata[part]) ? entriesOf(metadata[part]).map(([key]) => key) : []);
  const faults = [
    ...(groupOf(object["apiVersion"]) === groupOf(target.apiVersion) ? [] : ["another group"]),
    ...(object["kind"] === target.kind ? [] : ["another kind"]),
    ...(metadata["name"] === target.name ? [] : ["another name"]),
    ...(metadata["namespace"] === namespace ? [] : ["another namespace"]),
    ...(object["status"] === undefined ? [] : ["a status"]),
    ...entriesOf(metadata).flatMap(([key]) => (metadataKeys.has(key) ? [] : [`metadata.${key}`])),
    ...keysOf("labels").flatMap((key) => (key === managedByLabel.key ? ["our label"] : [])),
    ...keysOf("annotations").flatMap((key) => (key.startsWith(annotationPrefix) ? [`annotation ${key}`] : [])),
  ];
  return faults.map((fault) => `${asset.name} renders ${fault}`);
}

function groupOf(apiVersion: unknown): string {
  return String(apiVersion).split("/").slice(0, -1).join("/");
}
