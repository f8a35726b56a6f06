import type { Breakers } from "../circuitbreaker/breaker.ts";
import type { ApiReader } from "../client/api-client.ts";
import type { Discovery } from "../client/discovery.ts";
import type { Clock } from "../clock.ts";
import { groupOf, Informer, type InformerObserver, type InformerSpec, type InformerState } from "./informer.ts";
import { ProbeLimit } from "./watch-source.ts";

export type InformerSetOptions = {
  readonly client: ApiReader;
  readonly breakers: Breakers;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: InformerObserver;
};

/** How long an informer retries discovery after a CRD of its group changed. */
const groupChangeMs = 15_000;

export class InformerSet {
  readonly #parts: InformerSetOptions;
  readonly #probes: ProbeLimit;
  readonly #server = { canStream: true };
  readonly #running = new Map<string, Informer>();
  readonly #groupChanges = new Map<string, number>();

  constructor(parts: InformerSetOptions) {
    this.#parts = parts;
    this.#probes = new ProbeLimit(parts.clock);
  }

  /** Starts and stops informers so that exactly these run. Informers that are already running continue. */
  setSpecs(specs: readonly InformerSpec[]): void {
    const wanted = new Map(specs.map((spec) => [idOf(spec), spec]));
    for (const [id, watch] of this.#running) {
      if (wanted.has(id)) continue;
      watch.stop();
      this.#running.delete(id);
    }
    for (const [id, spec] of wanted) {
      if (!this.#running.has(id)) this.#running.set(id, this.#start(id, spec));
    }
  }

  find(spec: InformerSpec): InformerState | undefined {
    return this.#running.get(idOf(spec));
  }

  get all(): readonly InformerState[] {
    return [...this.#running.values()];
  }

  /** Call it after a CRD of this group was added, changed or deleted. */
  groupChanged(group: string): void {
    this.#parts.discovery.forget(group);
    this.#groupChanges.set(group, this.#parts.clock.monotonic());
    for (const watch of this.#running.values()) {
      if (watch.spec.apiVersion.startsWith(`${group}/`)) watch.rediscover();
    }
  }

  /** Restarts informers of the kind, because a watch keeps the schema with which it started. */
  schemaChanged(crd: string): void {
    for (const watch of this.#running.values()) if (watch.resource === crd) watch.relistSoon();
  }

  /** Checks whether all streams are alive. Call it after the process was frozen, or when another stream was found to be dead. */
  doubtAll(): void {
    for (const watch of this.#running.values()) watch.doubt();
  }

  stop(): void {
    this.setSpecs([]);
  }

  #isNew(group: string): boolean {
    const at = this.#groupChanges.get(group);
    return at !== undefined && this.#parts.clock.monotonic() - at < groupChangeMs;
  }

  #start(id: string, spec: InformerSpec): Informer {
    return new Informer(spec, {
      ...this.#parts,
      caller: `watch ${id}`,
      probes: this.#probes,
      server: this.#server,
      isGroupNew: this.#isNew(groupOf(spec.apiVersion)),
    });
  }
}

/** Returns an id for a spec, which is equal for equal specs. Must be fast, because every change compares all specs. */
function idOf({ apiVersion, kind, namespace, name, labelSelector, projection }: InformerSpec): string {
  return JSON.stringify([apiVersion, kind, namespace, name, labelSelector, projection]);
}
