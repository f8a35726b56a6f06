// Discovers how the server serves a kind: path, scope and versions. Caches each group version until `forget`.

import type { Ref } from "@virt/objects";
import type { ApiReader } from "./api-client.ts";
import { readResultOf } from "./outcome.ts";
import { getPath, type Resource } from "./request.ts";

export type DiscoveryResult =
  | { readonly kind: "served"; readonly resource: Resource }
  | { readonly kind: "not-served" }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

type ServedResources = readonly { readonly kind: string; readonly name: string; readonly namespaced: boolean }[];

/** Undefined if the server does not have the group or version. This is cached, too. */
type ServedGroup = { readonly resources: ServedResources | undefined };

type GroupAnswer = ServedGroup | Extract<DiscoveryResult, { kind: "unavailable" }>;

/** One request for a group. Its response is valid for `kinds`, which were requested before it arrived. */
type GroupRequest = { readonly answer: Promise<GroupAnswer>; readonly kinds: Set<string>; isAnswered: boolean };

type DiscoveryCall = { readonly signal: AbortSignal; readonly client: ApiReader };

/**
 * Caches resources by kind until a CRD of their group changes. Also caches that a kind is not served, but does not
 * cache failed requests. A new CRD is served a few milliseconds after it is visible, so a response from before the
 * first request for a kind does not prove that the kind is missing.
 */
export class Discovery {
  readonly #client: ApiReader;
  readonly #groups = new Map<string, GroupRequest>();
  readonly #places = new Map<string, Resource>();

  constructor(client: ApiReader) {
    this.#client = client;
  }

  /** `client` is for callers that can be parked while the server is down. */
  async find(
    { apiVersion, kind }: Pick<Ref, "apiVersion" | "kind">,
    signal: AbortSignal,
    client: ApiReader = this.#client,
  ): Promise<DiscoveryResult> {
    const asked = this.#groups.get(apiVersion) ?? this.#ask(apiVersion, { signal, client });
    if (!asked.isAnswered) asked.kinds.add(kind);
    const group = await asked.answer;
    if ("kind" in group) return group;
    const served = group.resources?.find((one) => one.kind === kind && !one.name.includes("/"));
    if (served === undefined && !asked.kinds.has(kind)) {
      if (this.#groups.get(apiVersion) === asked) this.#ask(apiVersion, { signal, client }, asked.kinds);
      return this.find({ apiVersion, kind }, signal, client);
    }
    this.forgetPlace({ apiVersion, kind });
    if (served === undefined) return { kind: "not-served" };
    const [version = "", name = ""] = apiVersion.split("/").toReversed();
    const resource = { group: name, version, plural: served.name, isNamespaced: served.namespaced };
    this.#places.set(`${apiVersion} ${kind}`, resource);
    return { kind: "served", resource };
  }

  /**
   * Returns the last known location of a kind, even if its group has changed since then. For urgent requests, whose
   * response shows whether the location is still valid.
   */
  async place(of: Pick<Ref, "apiVersion" | "kind">, signal: AbortSignal, client?: ApiReader): Promise<DiscoveryResult> {
    const resource = this.#places.get(`${of.apiVersion} ${of.kind}`);
    return resource === undefined ? this.find(of, signal, client) : { kind: "served", resource };
  }

  forgetPlace({ apiVersion, kind }: Pick<Ref, "apiVersion" | "kind">): void {
    this.#places.delete(`${apiVersion} ${kind}`);
  }

  forgetVersion(apiVersion: string): void {
    this.#groups.delete(apiVersion);
  }

  /** Call it after a CRD of this group was added, changed or deleted. */
  forget(group: string): void {
    for (const apiVersion of this.#groups.keys())
      if (apiVersion.startsWith(`${group}/`)) this.#groups.delete(apiVersion);
  }

  #ask(apiVersion: string, by: DiscoveryCall, kinds: ReadonlySet<string> = new Set()): GroupRequest {
    const asked: GroupRequest = {
      kinds: new Set(kinds),
      isAnswered: false,
      answer: this.#send(apiVersion, by).then((group) => {
        asked.isAnswered = true;
        // A failed request is not cached.
        if ("kind" in group && this.#groups.get(apiVersion) === asked) this.#groups.delete(apiVersion);
        return group;
      }),
    };
    this.#groups.set(apiVersion, asked);
    return asked;
  }

  async #send(apiVersion: string, { signal, client }: DiscoveryCall): Promise<GroupAnswer> {
    const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const reading = readResultOf(await client.send(getPath(path), { signal }));
    switch (reading.kind) {
      case "found":
        return { resources: (reading.object as unknown as { resources?: ServedResources }).resources ?? [] };
      case "absent":
      case "missing":
        return { resources: undefined };
      case "unavailable":
        return reading;
      case "rejected":
        return { kind: "unavailable", message: reading.message };
    }
  }
}
