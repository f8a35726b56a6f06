// What the table of a subject claims: this field with this value is right, wrong, or not known at all.

import { isTree, type Tree, valueAt } from "./paths.ts";
import type { Field, Subject } from "./subject.ts";

export type Claim = {
  readonly path: string;
  /** Undefined: the field is taken away. */
  readonly value: unknown;
  readonly kind: "right" | "wrong" | "unknown";
  /** Not to be tried together with others: a rule of the CRD decides, and rules are only tried on objects without other faults. */
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
  // Where the schema does not say nullable, null counts as nothing; but not in a list, which keeps its length.
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

/** Every object in the sample whose keys the schema names, from the top. */
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
