// A JSON patch of annotations that fails if the object is not the one that was read.

import type { Json, JsonMap, KubeObject } from "@virt/api";

/** Values by complete annotation key. Null removes the annotation. */
export type AnnotationChanges = Readonly<Record<string, string | null>>;

/** An operation of a JSON patch (RFC 6902). */
export type AnnotationOperation =
  | { readonly op: "test"; readonly path: string; readonly value: Json }
  | { readonly op: "add"; readonly path: string; readonly value: string | JsonMap }
  | { readonly op: "remove"; readonly path: string };

/**
 * Returns the operations for the annotations that differ. Empty if there are none. The tests cover the uid and the old
 * value of each annotation, and with `isExact` the resourceVersion.
 */
export function annotationPatch(
  { metadata }: KubeObject,
  changes: AnnotationChanges,
  { isExact = false }: { readonly isExact?: boolean } = {},
): readonly AnnotationOperation[] {
  const { annotations, uid, resourceVersion } = metadata;
  const changed = Object.entries(changes).filter(([key, value]) => (annotations?.[key] ?? null) !== value);
  if (changed.length === 0) return [];
  return [
    test("/metadata/uid", uid ?? null),
    ...(isExact ? [test("/metadata/resourceVersion", resourceVersion ?? null)] : []),
    ...(annotations === undefined ? [test(root, null), { op: "add", path: root, value: {} } as const] : []),
    ...changed.flatMap(([key, value]): readonly AnnotationOperation[] => {
      const path = `${root}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const change = value === null ? ({ op: "remove", path } as const) : ({ op: "add", path, value } as const);
      return [test(path, annotations?.[key] ?? null), change];
    }),
  ];
}

const root = "/metadata/annotations";

function test(path: string, value: Json): AnnotationOperation {
  return { op: "test", path, value };
}
