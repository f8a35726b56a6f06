// Remembers the status that this process wrote last to each config: whatever else is stored was written by somebody else.

import type { ReconcileFacts } from "@virt/advisor";
import { configKind, type Status, type VirtPlatformConfig } from "@virt/api";
import { equalJson, isMap, type Json } from "@virt/engine";
import type { Reader } from "@virt/kube";

type OwnStatus = { readonly uid: string | undefined; readonly status: Status };

export type KnownConfig = Pick<ReconcileFacts, "config" | "statusOrigin">;

export type RecognizeResult =
  | ({ readonly kind: "known" } & KnownConfig)
  /** Somebody else has written the status; `change` names the fields, as a clause. */
  | { readonly kind: "foreign"; readonly own: Status; readonly change: string }
  /** The cache shows something older than what is stored. */
  | { readonly kind: "outdated" }
  | { readonly kind: "retry"; readonly retryInMs?: number };

/** More answers are hardly ever lost in a row. */
const mostUnanswered = 8;

export class OwnStatuses {
  readonly #statuses = new Map<string, OwnStatus>();
  /** Written or not: the answer was lost. */
  readonly #unanswered = new Map<string, readonly OwnStatus[]>();

  async recognize(config: VirtPlatformConfig, cluster: Reader): Promise<RecognizeResult> {
    const { name, uid, resourceVersion } = config.metadata;
    const own = this.#statuses.get(name);
    if (own === undefined || own.uid !== uid) return { kind: "known", config, statusOrigin: "unknown" };
    if (equalJson(own.status, config.status ?? {})) return { kind: "known", config, statusOrigin: "own" };
    if (this.#isUnanswered(config)) {
      this.rememberWritten(config);
      return { kind: "known", config, statusOrigin: "own" };
    }
    const reading = await cluster.read({ ...configKind, name });
    if (reading.kind === "unavailable") {
      const { retryInMs } = reading;
      return { kind: "retry", ...(retryInMs !== undefined && { retryInMs }) };
    }
    if (reading.kind !== "found" || reading.object.metadata.resourceVersion !== resourceVersion)
      return { kind: "outdated" };
    const change = changedPaths(own.status, config.status ?? {}).join(", ");
    return { kind: "foreign", own: own.status, change };
  }

  remember({ metadata: { name, uid }, status = {} }: Pick<VirtPlatformConfig, "metadata" | "status">): void {
    this.#statuses.set(name, { uid, status });
  }

  /** Nothing that was sent before can come after this. */
  rememberWritten(config: Pick<VirtPlatformConfig, "metadata" | "status">): void {
    this.remember(config);
    this.#unanswered.delete(config.metadata.name);
  }

  /** The cache may show what was stored before for a while, and then this. */
  rememberUnanswered({ metadata: { name, uid } }: VirtPlatformConfig, status: Status): void {
    const before = this.#unanswered.get(name) ?? [];
    this.#unanswered.set(name, [...before, { uid, status }].slice(-mostUnanswered));
  }

  #isUnanswered({ metadata: { name, uid }, status = {} }: VirtPlatformConfig): boolean {
    const written = this.#unanswered.get(name) ?? [];
    return written.some((one) => one.uid === uid && equalJson(one.status, status));
  }

  knows(name: string): boolean {
    return this.#statuses.has(name);
  }

  /** Nothing is known while a write is on its way. Call the answer if the status is still what it was. */
  suspend(name: string): () => void {
    const own = this.#statuses.get(name);
    this.#statuses.delete(name);
    return () => void (own && this.#statuses.set(name, own));
  }

  forget(name: string): void {
    this.#statuses.delete(name);
    this.#unanswered.delete(name);
  }

  /** Another replica may have led in between. */
  forgetAll(): void {
    this.#statuses.clear();
    this.#unanswered.clear();
  }
}

/** Down to the members of items and conditions, which are known by their names. */
function changedPaths(was: Json | undefined, is: Json | undefined): readonly string[] {
  const [before, after] = [membersOf(was), membersOf(is)];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [old, fresh] = [before.get(name), after.get(name)];
    if (equalJson(old ?? null, fresh ?? null)) return [];
    const isNamed = Array.isArray(old) && Array.isArray(fresh) && [...old, ...fresh].every(isNamedMap);
    if (isNamed || (isNamedMap(old) && isNamedMap(fresh)))
      return changedPaths(old, fresh).map((path) => `${name}/${path}`);
    return [name];
  });
}

function membersOf(value: Json | undefined): ReadonlyMap<string, Json | undefined> {
  if (Array.isArray(value)) return new Map(value.map((one) => [nameOf(one) ?? "", one]));
  return new Map(isMap(value) ? Object.entries(value) : []);
}

const nameOf = (value: Json | undefined): string | undefined => {
  const name = isMap(value) ? (value["name"] ?? value["type"]) : undefined;
  return typeof name === "string" ? name : undefined;
};
const isNamedMap = (value: Json | undefined): boolean => nameOf(value) !== undefined;
