// Compares two schemas without a server: a mock must describe its fields like the genuine schema.

import { isTree, type Tree } from "./paths.ts";

/**
 * Keywords that are compared separately, are worded differently, or are covered by probes (defaults, which a mock may
 * shorten).
 */
const apart = new Set([
  "description",
  "properties",
  "items",
  "additionalProperties",
  "default",
  "x-kubernetes-validations",
]);

/** Returns one line per difference. A mock may omit fields and their rules, but not add or loosen any. */
export function differences(mock: Tree, genuine: Tree, path = ""): readonly string[] {
  const keys = [...new Set([...Object.keys(mock), ...Object.keys(genuine)])].filter((key) => !apart.has(key));
  return [
    ...keys.flatMap((key) => unlike(`${path} ${key}`, inOrder(mock[key]), inOrder(genuine[key]))),
    ...rulesApart(mock, genuine).map((rule) => `${path} rules: ${rule}`),
    ...below(mock["items"], genuine["items"], `${path}[]`),
    ...below(mock["additionalProperties"], genuine["additionalProperties"], `${path}{}`),
    ...Object.entries(fields(mock)).flatMap(([name, field]) => below(field, fields(genuine)[name], `${path}.${name}`)),
  ];
}

function below(mock: unknown, genuine: unknown, path: string): readonly string[] {
  return isTree(mock) && isTree(genuine) ? differences(mock, genuine, path) : unlike(path, mock, genuine);
}

function unlike(what: string, mock: unknown, genuine: unknown): readonly string[] {
  const [ours, theirs] = [JSON.stringify(mock), JSON.stringify(genuine)];
  return ours === theirs ? [] : [`${what}: ${ours} is not ${theirs}`];
}

// Lists in schemas (enum, required, list keys) are sets.
function inOrder(value: unknown): unknown {
  return Array.isArray(value) ? value.map((element) => JSON.stringify(element)).toSorted() : value;
}

// Compares rules by their message and location. The expressions may differ, and the probes test them.
function rulesApart(mock: Tree, genuine: Tree): readonly string[] {
  const absent = leftOut(mock, genuine);
  const names = ({ rule }: Tree) => String(rule).match(/(?<=[.?])[A-Za-z]+/g) ?? [];
  const [ours, theirs] = [mock, genuine].map((schema) => rules(schema));
  const said = ({ message, fieldPath }: Tree) => JSON.stringify([message, fieldPath]);
  const needed = (theirs ?? []).filter((rule) => !names(rule).some((name) => absent.has(name)));
  const missing = needed.map(said).filter((rule) => !(ours ?? []).map(said).includes(rule));
  const added = (ours ?? []).map(said).filter((rule) => !(theirs ?? []).map(said).includes(rule));
  return [...missing.map((rule) => `${rule} is missing`), ...added.map((rule) => `${rule} is not there`)];
}

function rules(schema: Tree): readonly Tree[] {
  return (schema["x-kubernetes-validations"] ?? []) as readonly Tree[];
}

function leftOut(mock: Tree, genuine: Tree): ReadonlySet<string> {
  const known = new Set(fieldNames(mock));
  return new Set(fieldNames(genuine).filter((name) => !known.has(name)));
}

function fieldNames(schema: unknown): readonly string[] {
  if (!isTree(schema)) return [];
  const own = Object.entries(fields(schema)).flatMap(([name, field]) => [name, ...fieldNames(field)]);
  return [...own, ...fieldNames(schema["items"])];
}

function fields(schema: Tree): Tree {
  return isTree(schema["properties"]) ? schema["properties"] : {};
}
