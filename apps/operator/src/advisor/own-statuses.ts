// Remembers the last status that this process wrote to each config, to detect writes by other clients.

import type { ReconcileFacts } from "@virt/advisor";
import { configKind, type Status, type VirtPlatformConfig } from "@virt/api";
import type { ClusterReader } from "@virt/kube";
import { equalJson, isMap, type Json } from "@virt/objects";

type OwnStatus = { readonly uid: string | undefined; readonly status: Status };

export type KnownConfig = Pick<ReconcileFacts, "config" | "statusOrigin">;

export type RecognizeResult =
  | ({ readonly kind: "known" } & KnownConfig)
  /** Another client wrote the status. `change` lists the changed fields. */
  | { readonly kind: "foreign"; readonly own: Status; readonly change: string }
  /** The cache is older than the stored config. */
  | { readonly kind: "outdated" }
  | { readonly kind: "retry"; readonly retryInMs?: number };

const mostUnanswered = 8;

export class OwnStatuses {
  readonly #statuses = new Map<string, OwnStatus>();
  /** Writes without a response. They may or may not have succeeded. */
  readonly #unanswered = new Map<string, readonly OwnStatus[]>();

  async recognize(config: VirtPlatformConfig, cluster: ClusterReader): Promise<RecognizeResult> {
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

  /** Remembers a confirmed write, which supersedes all earlier ones. */
  rememberWritten(config: Pick<VirtPlatformConfig, "metadata" | "status">): void {
    this.remember(config);
    this.#unanswered.delete(config.metadata.name);
  }

  /** Remembers a write without a response. The cache may still show the earlier status, or already the new one. */
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

  /** Forgets the status during a write. Call the returned function to restore it if the write failed. */
  suspend(name: string): () => void {
    const own = this.#statuses.get(name);
    this.#statuses.delete(name);
    return () => void (own && this.#statuses.set(name, own));
  }

  forget(name: string): void {
    this.#statuses.delete(name);
    this.#unanswered.delete(name);
  }

  /** Forgets everything. Call it when this process becomes the leader again, because another leader may have written. */
  forgetAll(): void {
    this.#statuses.clear();
    this.#unanswered.clear();
  }
}

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
