// A mutable copy of a document, with its size, while a patch is applied.

import { utf8Length } from "../encoding/text.ts";
import type { Pointer } from "../fields/path.ts";
import { entriesOf, isList, isMap, type Json, type JsonMap } from "../json/json.ts";

type Mutable = null | boolean | number | string | Mutable[] | { [key: string]: Mutable };
type Container = Mutable[] | { [key: string]: Mutable };

export type PatchStep = { readonly kind: "done" } | { readonly kind: "failed"; readonly detail: string };

const done: PatchStep = { kind: "done" };
const failed = (detail: string): PatchStep => ({ kind: "failed", detail });
const absent = failed("it does not exist");

export class PatchDocument {
  readonly #root: Mutable;
  readonly #counts = new Map<Container, number>();
  #bytes: number;

  constructor(document: JsonMap) {
    this.#root = copyJson(document) as Mutable;
    this.#bytes = jsonBytesOf(document);
  }

  get document(): Json {
    return this.#root;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(pointer: Pointer): Json | undefined {
    return pointer.reduce<Mutable | undefined>(child, this.#root);
  }

  /** Adds a value, which the document may then modify. Does not create parents. */
  add(pointer: Pointer, value: Json): PatchStep {
    const { parent, key } = this.#parentOf(pointer);
    if (Array.isArray(parent)) return this.#insert(parent, key, value);
    if (parent === undefined) return failed("its parent does not exist, or is neither an object nor a list");
    if (Object.hasOwn(parent, key)) return this.replace(pointer, value);
    // An assignment to `__proto__` would set the prototype.
    Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
    this.#grow(parent, jsonBytesOf(key) + 1 + jsonBytesOf(value), 1);
    return done;
  }

  replace(pointer: Pointer, value: Json): PatchStep {
    const { parent, key } = this.#parentOf(pointer);
    const before = child(parent, key);
    if (parent === undefined || before === undefined) return absent;
    if (Array.isArray(parent)) parent[Number(key)] = value as Mutable;
    else parent[key] = value as Mutable;
    this.#bytes += jsonBytesOf(value) - jsonBytesOf(before);
    return done;
  }

  remove(pointer: Pointer): PatchStep {
    const { parent, key } = this.#parentOf(pointer);
    const before = child(parent, key);
    if (parent === undefined || before === undefined) return absent;
    const name = Array.isArray(parent) ? 0 : jsonBytesOf(key) + 1;
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete parent[key];
    this.#grow(parent, -name - jsonBytesOf(before), -1);
    return done;
  }

  #insert(list: Mutable[], key: string, value: Json): PatchStep {
    const at = key === "-" ? list.length : indexOf(key);
    if (at === undefined) return failed("a list element must be addressed by its index");
    if (at > list.length) return failed(`the list has ${list.length} elements`);
    list.splice(at, 0, value as Mutable);
    this.#grow(list, jsonBytesOf(value), 1);
    return done;
  }

  // Updates the size, including commas. Caches the number of fields, so that this is fast for wide maps.
  #grow(parent: Container, bytes: number, members: 1 | -1): void {
    const isList = Array.isArray(parent);
    const after = isList ? parent.length : (this.#counts.get(parent) ?? Object.keys(parent).length - members) + members;
    if (!isList) this.#counts.set(parent, after);
    const isFirst = Math.min(after, after - members) === 0;
    this.#bytes += bytes + (isFirst ? 0 : members);
  }

  #parentOf(pointer: Pointer): { readonly parent: Container | undefined; readonly key: string } {
    const parent = pointer.slice(0, -1).reduce<Mutable | undefined>(child, this.#root);
    return { parent: typeof parent === "object" && parent !== null ? parent : undefined, key: pointer.at(-1) ?? "" };
  }
}

function child(value: Mutable | undefined, key: string): Mutable | undefined {
  if (Array.isArray(value)) {
    const at = indexOf(key);
    return at === undefined ? undefined : value[at];
  }
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? value[key] : undefined;
}

function indexOf(key: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,8})$/.test(key) ? Number(key) : undefined;
}

export function copyJson(value: Json): Json {
  if (isList(value)) return value.map(copyJson);
  return isMap(value) ? Object.fromEntries(entriesOf(value).map(([key, part]) => [key, copyJson(part)])) : value;
}

export function jsonBytesOf(value: Json): number {
  return utf8Length(JSON.stringify(value));
}
