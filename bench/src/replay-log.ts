// The content of a replay server: objects and a log of changes. An event's number is its resource version.

import { objectName } from "./config-maps.ts";

const stride = 7_919; // a prime, so that events visit all objects in a scattered order

export class ReplayLog {
  readonly #objects: number;
  readonly #versions: number[];
  #head: number;

  constructor(objects: number) {
    this.#objects = objects;
    this.#versions = Array.from({ length: objects }, (_, at) => at + 1);
    this.#head = objects;
  }

  get head(): number {
    return this.#head;
  }

  advance(events: number): { readonly name: string; readonly value: string } {
    for (let event = 0; event < events; event++) {
      this.#head++;
      this.#versions[this.#target(this.#head)] = this.#head;
    }
    return { name: objectName(this.#target(this.#head)), value: `${this.#head}` };
  }

  /** Returns the watch lines for the versions from `from` to `until`, inclusive. */
  frames(from: number, until: number): string {
    let text = "";
    for (let version = from; version <= until; version++)
      text += `{"type":"MODIFIED","object":${objectText(this.#target(version), version)}}\n`;
    return text;
  }

  *initial(): Generator<string> {
    for (const [at, version] of this.#versions.entries())
      yield `{"type":"ADDED","object":${objectText(at, version)}}\n`;
    const annotations = { "k8s.io/initial-events-end": "true" };
    const metadata = { resourceVersion: `${this.#head}`, annotations };
    yield `${JSON.stringify({ type: "BOOKMARK", object: { kind: "ConfigMap", apiVersion: "v1", metadata } })}\n`;
  }

  list(): string {
    const items = this.#versions.map((version, at) => objectText(at, version));
    const head = `"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"${this.#head}"}`;
    return `{${head},"items":[${items.join(",")}]}`;
  }

  versions(): readonly { readonly name: string; readonly version: string }[] {
    return this.#versions.map((version, at) => ({ name: objectName(at), version: `${version}` }));
  }

  #target(version: number): number {
    return (version * stride) % this.#objects;
  }
}

const owned = Array.from({ length: 12 }, (_, at) => [`f:setting-${at}`, {}]);
const fieldsV1 = { "f:data": { ".": {}, "f:value": {}, ...Object.fromEntries(owned) } };
const written = {
  operation: "Apply",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1,
};
const managedFields = JSON.stringify([
  { manager: "bench", ...written },
  { manager: "somebody-else", ...written },
]);
const settings = JSON.stringify(
  Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`setting-${at}`, `${at}`.padEnd(60, ".")])),
).slice(1, -1);

function objectText(at: number, version: number): string {
  const uid = `00000000-0000-4000-8000-${`${at}`.padStart(12, "0")}`;
  const identity = `"name":"${objectName(at)}","namespace":"default","uid":"${uid}","resourceVersion":"${version}"`;
  const rest = `"labels":{"app":"bench","part":"${at % 10}"},"managedFields":${managedFields}`;
  return `{"kind":"ConfigMap","apiVersion":"v1","metadata":{${identity},${rest}},"data":{${settings},"value":"${version}"}}`;
}
