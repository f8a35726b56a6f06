// Stores equal values of many objects once. Thousands of VMs come from a few templates and are mostly equal.

import type { Json, JsonMap, KubeObject } from "@virt/objects";

/** The maximum number of known values. When it is reached, all are forgotten. Objects keep the values that they already share. */
const mostKnown = 500;
/** Longer values are rarely equal, and comparing them costs more than it saves. */
const longest = 500;

export class SharedValues {
  readonly #texts = new Map<string, string>();
  readonly #values = new Map<string, Json>();

  /** Returns an equal object that shares its parts with earlier objects. */
  shareObject({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
    return {
      apiVersion: this.#shareText(apiVersion),
      kind: this.#shareText(kind),
      metadata: this.#shareMembers(metadata),
      ...this.#shareMembers(rest),
    } as KubeObject;
  }

  #share(value: Json): Json {
    if (typeof value === "string") return this.#shareText(value);
    if (typeof value !== "object" || value === null) return value;
    const text = JSON.stringify(value);
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const shared = Array.isArray(value)
      ? value.map((each: Json) => this.#share(each))
      : this.#shareMembers(value as JsonMap);
    return remember(this.#values, text, shared);
  }

  #shareMembers(map: JsonMap): JsonMap {
    return Object.fromEntries(
      Object.entries(map).flatMap(([name, value]) => (value === undefined ? [] : [[name, this.#share(value)]])),
    );
  }

  #shareText(text: string): string {
    return this.#texts.get(text) ?? remember(this.#texts, text, text);
  }
}

function remember<T>(known: Map<string, T>, text: string, value: T): T {
  if (text.length > longest) return value;
  if (known.size >= mostKnown) known.clear();
  known.set(text, value);
  return value;
}
