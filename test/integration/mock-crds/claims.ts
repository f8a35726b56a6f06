// Derives claims from a subject's table: a value of a field is valid, invalid or unknown.

import { isTree, type Tree, valueAt } from "./paths.ts";
import type { Field, Subject } from "./subject.ts";

export type Claim = {
  readonly path: string;
  readonly value: unknown;
  readonly kind: "right" | "wrong" | "unknown";
  /** True if the claim needs its own probe: CRD rules are evaluated only for objects without other faults. */
  readonly isAlone: boolean;
};

export function claimsOf(subject: Subject): readonly Claim[] {
  const unknown = closedObjects(subject).map((path) => ({ path: join(path, "notThere"), value: 1 }));
  return [
    ...subject.fields.flatMap((field) => claimsAbout(field, subject.sample)),
    ...unknown.map((claim) => ({ ...claim, kind: "unknown" as const, isAlone: false })),
  ];
}

function claimsAbout(field: Field, sample: Tree): readonly Claim[] {
  const { path, good = [], bad = [], isRequired = false, isRuled = false } = field;
  const claim = (kind: Claim["kind"], isAlone: boolean) => (value: unknown) => ({ path, value, kind, isAlone });
  // null counts as absent if the schema is not nullable, except in a list, which keeps its length.
  const isElement = path.endsWith("[]");
  const absence = isElement ? [null] : [undefined, null];
  return [
    ...good.map(claim("right", isRuled)),
    ...bad.map(claim("wrong", isRuled)),
    ...absence.map(claim(isRequired || isElement ? "wrong" : "right", isRuled)),
    ...wrongTypes(field, sample).map(claim("wrong", false)),
  ];
}

function wrongTypes({ path, isIntOrString = false }: Field, sample: Tree): readonly unknown[] {
  const value = valueAt(sample, path);
  if (isIntOrString) return [true, {}];
  if (Array.isArray(value)) return [{}];
  if (isTree(value)) return [[]];
  if (typeof value === "number") return ["seven", 1.5];
  return typeof value === "boolean" ? ["true"] : [7];
}

/** Returns the paths of all objects in the sample with a closed set of keys, from the top. */
function closedObjects({ sample, fields }: Subject): readonly string[] {
  const open = new Set(fields.filter(({ isOpen }) => isOpen).map(({ path }) => path));
  const walk = (value: unknown, path: string): readonly string[] => {
    if (open.has(path)) return [];
    if (Array.isArray(value)) return walk(value[0], `${path}[]`);
    if (!isTree(value)) return [];
    return [path, ...Object.entries(value).flatMap(([key, child]) => walk(child, join(path, key)))];
  };
  const { metadata: _, ...rest } = sample;
  return walk(rest, "");
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
