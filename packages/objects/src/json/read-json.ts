// Parses and measures untrusted JSON. Avoids a V8 bug with escaped keys, which managedFields are full of
// (https://github.com/nodejs/node/issues/63785).

import type { Json } from "./json.ts";

/** Parses JSON text. Throws a SyntaxError, as JSON.parse does. */
export function readJson(text: string): Json {
  const isSafe = !text.includes("\\") || !hasEscapedKey(text);
  return isSafe ? (JSON.parse(text) as Json) : new Reader(text).read();
}

const rest = /(?:[^"\\]|\\.)*"\s*(:?)/sy;

// Backslashes occur only in strings, so the text need not be valid JSON.
function hasEscapedKey(text: string): boolean {
  rest.lastIndex = text.indexOf("\\");
  for (let found = rest.exec(text); found !== null; found = rest.exec(text)) {
    if (found[1] === ":") return true;
    const next = text.indexOf("\\", rest.lastIndex);
    if (next < 0) return false;
    rest.lastIndex = next;
  }
  return false;
}

/** The maximum depth. It is deeper than any Kubernetes object, and does not overflow the stack. */
const deepest = 1_000;

const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const restOfString = /(?:[^"\\]|\\.)*"/sy;
const special = /[\\\u0000-\u001f]/; // oxlint-disable-line no-control-regex -- JSON forbids them in strings

/** Uses V8 only for single strings and numbers, never for keys. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Json {
    const value = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#wrong();
    return value;
  }

  #value(depth: number): Json {
    if (depth > deepest) throw new SyntaxError(`JSON is deeper than ${deepest} levels`);
    this.#skip();
    if (this.#take("{")) return this.#map(depth);
    if (this.#take("[")) return this.#list(depth);
    return this.#take('"') ? ownText(this.#string()) : this.#scalar();
  }

  #map(depth: number): Json {
    const map: Record<string, Json> = {};
    this.#skip();
    if (this.#take("}")) return map;
    do {
      this.#skip();
      if (!this.#take('"')) throw this.#wrong();
      const key = this.#string();
      this.#skip();
      if (!this.#take(":")) throw this.#wrong();
      put(map, key, this.#value(depth + 1));
      this.#skip();
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#wrong();
    return map;
  }

  #list(depth: number): Json {
    const items: Json[] = [];
    this.#skip();
    if (this.#take("]")) return items;
    do {
      items.push(this.#value(depth + 1));
      this.#skip();
    } while (this.#take(","));
    if (!this.#take("]")) throw this.#wrong();
    return items;
  }

  #string(): string {
    const end = this.#text.indexOf('"', this.#at);
    const plain = this.#text.slice(this.#at, end);
    if (end < 0 || special.test(plain)) return this.#escaped();
    this.#at = end + 1;
    return plain;
  }

  #escaped(): string {
    return String(JSON.parse(`"${this.#match(restOfString)}`));
  }

  #scalar(): Json {
    return JSON.parse(this.#match(scalar)) as Json;
  }

  #match(token: RegExp): string {
    token.lastIndex = this.#at;
    const [found] = token.exec(this.#text) ?? [];
    if (found === undefined) throw this.#wrong();
    this.#at += found.length;
    return found;
  }

  #take(sign: string): boolean {
    const isThere = this.#text[this.#at] === sign;
    if (isThere) this.#at++;
    return isThere;
  }

  #skip(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  #wrong(): SyntaxError {
    return new SyntaxError(`Unexpected JSON at position ${this.#at}`);
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** The last duplicate wins, as in JSON.parse. `__proto__` becomes an ordinary member. */
function put(map: Record<string, Json>, key: string, value: Json): void {
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  else map[key] = value;
}

/** Copies slices of 13 or more characters, because V8 would keep the whole text in memory for them. */
function ownText(slice: string): string {
  return slice.length < 13 ? slice : String(JSON.parse(JSON.stringify(slice)));
}

type OpenContainers = (Set<string> | undefined)[];

/** Accepts any string and builds no values, so that the caller can reject oversized JSON without parsing it. */
export function measureJson(text: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfText(text, at) - 1;
    else if (sign === comma) values++;
    else if (sign === openMap || sign === openList) {
      values++; // an empty container also counts as one value
      deepest = Math.max(deepest, ++depth);
    } else if (sign === closeMap || sign === closeList) depth--;
  }
  return { depth: deepest, values };
}

const [quote, comma, openMap, closeMap, openList, closeList] = ['"', ",", "{", "}", "[", "]"].map((sign) =>
  sign.charCodeAt(0),
);

/** Returns the first duplicate member. Requires valid JSON. */
export function duplicateIn(text: string): string | undefined {
  const open: OpenContainers = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      const end = endOfText(text, at);
      const duplicate = duplicateAt(text, { at, end }, open);
      if (duplicate !== undefined) return duplicate;
      at = end - 1;
    } else if (sign === "{" || sign === "[") open.push(undefined);
    else if (sign === "}" || sign === "]") open.pop();
  }
  return undefined;
}

function duplicateAt(
  text: string,
  { at, end }: { readonly at: number; readonly end: number },
  open: OpenContainers,
): string | undefined {
  const key = isKey(text, end) ? readText(text.slice(at, end)) : undefined;
  return key !== undefined && isKnown(open, key) ? key : undefined;
}

// Creates the set only with the first key, because malicious input can consist mostly of empty maps.
function isKnown(open: OpenContainers, key: string): boolean {
  const keys = open.at(-1);
  if (keys === undefined) open[open.length - 1] = new Set([key]);
  else if (keys.has(key)) return true;
  else keys.add(key);
  return false;
}

function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at++;
  return text[at] === ":";
}

// "\u006fp" is the same member as "op".
function readText(literal: string): string {
  return literal.includes("\\") ? String(JSON.parse(literal)) : literal.slice(1, -1);
}
