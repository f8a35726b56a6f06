// Whether what is there is what is wanted. An empty map wants to be there, whoever fills it.

import type { Json } from "@virt/api";
import { entriesOf, equalJson, isMap, type Path, type ShapeOf } from "@virt/engine";

export type Wish = { readonly path: Path; readonly wanted: Json | undefined; readonly there: Json | undefined };

export function isMet({ path, wanted, there }: Wish, shapeOf: ShapeOf): boolean {
  if (equalJson(wanted, there)) return true;
  return isEmptyMap(wanted) && isMap(there) && shapeOf(path.map(nameOf))?.kind !== "atomic";
}

export function isEmptyMap(value: Json | undefined): boolean {
  return isMap(value) && entriesOf(value).length === 0;
}

function nameOf(element: string): string {
  return element.startsWith("f:") ? element.slice(2) : "[]";
}
