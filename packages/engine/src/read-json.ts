// Reads JSON that anybody may have written. V8 reads an object key with an escape in it wrongly once any object had a key with a
// backslash (https://github.com/nodejs/node/issues/63785), and the keys of managedFields are full of escapes.

import type { Json } from "./json.ts";

/** As JSON.parse, and throws a SyntaxError as it does. */
export function readJson(text: string): Json {
  const isSafe = !text.includes("\\") || !hasEscapedKey(text);
  return isSafe ? (JSON.parse(text) as Json) : new Reader(text).read();
}

// Strings are the only place where quotes and backslashes can stand, so the text need not be valid for this.
const keyOrString = /"((?:[^"\\]|\\.)*)"\s*(:?)/gs;

function hasEscapedKey(text: string): boolean {
  for (const [, content = "", colon] of text.matchAll(keyOrString)) {
    if (colon === ":" && content.includes("\\")) return true;
  }
  return false;
}

/** Deeper than any object of a cluster, and far from the end of the stack. */
const deepest = 1_000;

const space = /[ \t\n\r]*/y;
const scalar =
  /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y; // oxlint-disable-line no-control-regex -- JSON forbids them in strings

/** By hand, token by token. V8 reads single strings and numbers; keys it never sees. */
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
    return JSON.parse(this.#scalar()) as Json;
  }

  #map(depth: number): Json {
    const members: [string, Json][] = [];
    this.#skip();
    if (this.#take("}")) return {};
    do {
      this.#skip();
      if (this.#text[this.#at] !== '"') throw this.#wrong();
      const key = String(JSON.parse(this.#scalar()));
      this.#skip();
      if (!this.#take(":")) throw this.#wrong();
      members.push([key, this.#value(depth + 1)]);
      this.#skip();
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#wrong();
    return Object.fromEntries(members); // defines each member, __proto__ too; of two the last one stays
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

  #scalar(): string {
    scalar.lastIndex = this.#at;
    const [found] = scalar.exec(this.#text) ?? [];
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
    space.lastIndex = this.#at;
    this.#at += space.exec(this.#text)?.[0].length ?? 0;
  }

  #wrong(): SyntaxError {
    return new SyntaxError(`Unexpected JSON at position ${this.#at}`);
  }
}
