// What a served schema says about merging and defaults, by path.

import type { Json, JsonMap } from "@virt/api";
import {
  asList,
  asText,
  at,
  isMap,
  member,
  noSchema,
  oncePer,
  type Path,
  type Shape,
  type ShapeOf,
} from "@virt/engine";

/** The node of an openAPIV3Schema at a path of member names; `[]` stands for the elements of a list. */
function nodeAt(schema: Json | undefined, names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>((node, name) => {
    if (name === "[]") return member(node, "items");
    return (
      at(node, "properties", name) ??
      (isMap(member(node, "additionalProperties")) ? member(node, "additionalProperties") : undefined)
    );
  }, schema);
}

export const shapeFrom = oncePer(
  (schema: JsonMap): ShapeOf =>
    (names) => {
      const node = nodeAt(schema, names);
      const list = asText(member(node, "x-kubernetes-list-type"));
      if (list === "map")
        return {
          kind: "map",
          keys: asList(member(node, "x-kubernetes-list-map-keys")).flatMap((key) => asText(key) ?? []),
        };
      if (list === "set") return { kind: "set" };
      const isAtomic = list === "atomic" || member(node, "x-kubernetes-map-type") === "atomic";
      return isAtomic ? { kind: "atomic" } : undefined;
    },
);

/** Built-in kinds have no CRD; these are the lists in them that we render. */
const service: ReadonlyMap<string, Shape> = new Map([
  ["spec.ports", { kind: "map", keys: ["port", "protocol"] }],
  ["spec.selector", { kind: "atomic" }],
]);

const serviceShape: ShapeOf = (names) => service.get(names.join("."));

export function builtInShape(kind: string): ShapeOf {
  return kind === "Service" ? serviceShape : noSchema;
}

/** The value that the API server fills in where nobody sets one; booked on whoever created the object. */
export function defaultFrom(schema: JsonMap | undefined): (path: Path) => Json | undefined {
  return (path) =>
    member(
      nodeAt(
        schema,
        path.map((element) => (element.startsWith("f:") ? element.slice(2) : "[]")),
      ),
      "default",
    );
}
