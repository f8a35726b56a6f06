// Edits one field of an object like users and programs: changes, deletes, adds a sibling or takes ownership.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import {
  asText,
  at,
  entriesOf,
  fieldSet,
  isList,
  isMap,
  keepOnly,
  member,
  type Path,
  valueAt,
  writePointer,
} from "@virt/objects";
import type { ApiResponse, Server } from "@virt/testkit";

export const fieldEdits = ["change", "delete", "add sibling", "take by apply", "update"] as const;
export type FieldEdit = (typeof fieldEdits)[number];

export type FieldEditOptions = {
  readonly server: Server;
  readonly path: string;
  readonly live: KubeObject;
  readonly field: Path;
  readonly manager: string;
  /** The openAPIV3Schema of the object, if it has a CRD. */
  readonly schema: JsonMap | undefined;
};

export type FieldEditResult =
  | { readonly kind: "done"; readonly field: Path; readonly after: KubeObject }
  | { readonly kind: "refused"; readonly why: string };

export function editField(how: FieldEdit, options: FieldEditOptions): Promise<FieldEditResult> {
  const values = otherValues(valueAt(options.live, options.field));
  switch (how) {
    case "change":
      return firstAccepted(options, values, (value) => patch(options, options.field, value));
    case "delete":
      return firstAccepted(options, [undefined], () => patch(options, options.field, undefined));
    case "add sibling":
      return addSibling(options);
    case "take by apply":
      return firstAccepted(options, values, (value) => apply(options, value));
    case "update":
      return firstAccepted(options, values, (value) => put(options, value));
  }
}

async function firstAccepted(
  { field }: FieldEditOptions,
  values: readonly (Json | undefined)[],
  send: (value: Json | undefined) => Promise<ApiResponse>,
): Promise<FieldEditResult> {
  let why = "there is no other value";
  for (const value of values) {
    const { status, body } = await send(value);
    if (status < 300) return { kind: "done", field, after: body as KubeObject };
    why = (body as { readonly message?: string }).message ?? `${status}`;
  }
  return { kind: "refused", why };
}

function patch(
  { server, path, live, manager }: FieldEditOptions,
  field: Path,
  value: Json | undefined,
): Promise<ApiResponse> {
  const pointer = writePointer(segmentsOf(live, field));
  const isThere = valueAt(live, field) !== undefined;
  const operation = value === undefined ? { op: "remove" } : { op: isThere ? "replace" : "add", value };
  const contentType = "application/json-patch+json";
  const body = [{ ...operation, path: pointer }];
  return server.request({ method: "PATCH", path: `${path}?fieldManager=${manager}`, contentType, body });
}

function apply(
  { server, path, live, field, manager }: FieldEditOptions,
  value: Json | undefined,
): Promise<ApiResponse> {
  const body = keepOnly(withValue(live, field, value) as KubeObject, fieldSet([field]));
  const contentType = "application/apply-patch+yaml";
  return server.request({ method: "PATCH", path: `${path}?fieldManager=${manager}&force=true`, contentType, body });
}

function put({ server, path, live, field, manager }: FieldEditOptions, value: Json | undefined): Promise<ApiResponse> {
  const body = withValue(live, field, value);
  return server.request({ method: "PUT", path: `${path}?fieldManager=${manager}`, body });
}

async function addSibling(options: FieldEditOptions): Promise<FieldEditResult> {
  const parent = options.field.slice(0, -1);
  if (!isMap(valueAt(options.live, parent))) return { kind: "refused", why: "it is in no map" };
  for (const [name, value] of siblings(options, parent)) {
    const field = [...parent, `f:${name}`];
    const { status, body } = await patch(options, field, value);
    const after = body as KubeObject;
    if (status < 300 && valueAt(after, field) !== undefined) return { kind: "done", field, after };
  }
  return { kind: "refused", why: "the schema knows no other field" };
}

function siblings({ schema, live }: FieldEditOptions, parent: Path): readonly (readonly [string, Json])[] {
  const node = parent.reduce<Json | undefined>(
    (inner, element) => (element.startsWith("f:") ? at(inner, "properties", element.slice(2)) : member(inner, "items")),
    schema,
  );
  const properties = member(node, "properties");
  const taken = isMap(valueAt(live, parent)) ? (valueAt(live, parent) as JsonMap) : {};
  const known = isMap(properties) ? entriesOf(properties).filter(([name]) => !Object.hasOwn(taken, name)) : [];
  const scalar = known.flatMap(([name, inner]) => scalars(inner).map((value) => [name, value] as const));
  return [["tampered", "x"], ...scalar];
}

function scalars(schema: Json): readonly Json[] {
  const choices = member(schema, "enum");
  if (isList(choices)) return choices.slice(-1);
  const examples: Readonly<Record<string, readonly Json[]>> = { boolean: [true], integer: [3], string: ["1m", "x"] };
  return examples[asText(member(schema, "type")) ?? ""] ?? [];
}

// Candidate values. The API server decides which of them a field accepts.
const words = [
  "other",
  "10%",
  "7m",
  "99s",
  "Unmanaged",
  "Predictive",
  "RemoveWorkloads",
  "High",
  "none",
  "dead:beef",
  "9.9.9",
];

function otherValues(value: Json | undefined): readonly Json[] {
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [value + 1, value - 1];
  if (typeof value === "string") return [...words.filter((word) => word !== value), `${value}x`];
  if (isList(value))
    return [value.slice(1), ...value.slice(0, 1).flatMap((each) => otherValues(each).map((one) => [one]))].filter(
      (list) => list.length > 0,
    );
  if (!isMap(value)) return [];
  return entriesOf(value).flatMap(([key, inner]) => otherValues(inner).map((other) => ({ ...value, [key]: other })));
}

/** Returns a copy of the object with another value at the path. Undefined removes it. */
function withValue(into: Json | undefined, [element, ...rest]: Path, value: Json | undefined): Json {
  if (element === undefined) return value ?? null;
  const isGone = rest.length === 0 && value === undefined;
  if (isList(into)) {
    const place = into.indexOf(valueAt(into, [element]) as Json);
    return into.flatMap((each, index) => (index !== place ? [each] : isGone ? [] : [withValue(each, rest, value)]));
  }
  const map = isMap(into) ? into : {};
  const name = element.slice(2);
  const { [name]: _, ...others } = map;
  return isGone ? others : { ...others, [name]: withValue(map[name], rest, value) };
}

/** Returns the segments of a plain pointer, in which list elements have an index. */
function segmentsOf(object: Json, path: Path): readonly string[] {
  let value: Json | undefined = object;
  return path.map((element) => {
    const inner = valueAt(value, [element]);
    const segment = isList(value) ? `${value.indexOf(inner as Json)}` : element.slice(2);
    value = inner;
    return segment;
  });
}
