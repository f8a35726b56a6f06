// Access to the cluster with the user's kubeconfig and permissions. Failures become messages for the user.

import { configKind, type Json, type KubeObject, profileManager, type Ref, type VirtPlatformConfig } from "@virt/api";
import {
  type Access,
  type ApiAnswer,
  type ApiWriter,
  Client,
  clusterFor,
  createObject,
  Discovery,
  type FailedRequest,
  getObject,
  listObjects,
  noLease,
  patchObject,
  type Resource,
  systemClock,
  watchObjects,
} from "@virt/kube";
import { asList, asText, at, sleep } from "@virt/objects";
import { type ConfigPatch, foreignText, type LiveTarget } from "@virt/views";
import { type ApiVerb, describeFailure, isAbsent } from "./session-failure.ts";
import { CliError } from "./verb.ts";

const configPlace: Resource = {
  group: configKind.group,
  version: configKind.version,
  plural: configKind.plural,
  isNamespaced: false,
};

const userReviews: Resource = {
  group: "authentication.k8s.io",
  version: "v1",
  plural: "selfsubjectreviews",
  isNamespaced: false,
};

/** The field manager of writes by the plugin, as shown in managedFields and in the audit log. */
export const fieldManager = "kubectl-virt_advisor";

export type SessionOptions = {
  readonly access: Access;
  readonly version: string;
  /** The timeout of one request, in milliseconds. If undefined, the client's default applies. */
  readonly requestMs: number | undefined;
  readonly signal: AbortSignal;
};

/** `moved`: a test of the patch failed, usually because the config shows another plan. */
export type PatchResult =
  | { readonly kind: "patched"; readonly config: VirtPlatformConfig }
  | { readonly kind: "moved" };

export type ConfigNotice =
  | { readonly kind: "configs"; readonly configs: readonly VirtPlatformConfig[] }
  | { readonly kind: "lost"; readonly message: string; readonly retryInMs: number }
  | { readonly kind: "back" };

/** Reads and patches objects in the cluster. On failure, throws a CliError with the object, the cause and the next step. */
export class ClusterSession {
  readonly #client: Client;
  readonly #writer: ApiWriter;
  readonly #discovery: Discovery;
  readonly #signal: AbortSignal;
  readonly #access: Access;

  constructor({ access, version, requestMs, signal }: SessionOptions) {
    const limits = requestMs === undefined ? {} : { connectMs: requestMs, readMs: requestMs, writeMs: requestMs };
    this.#client = new Client({ access, userAgent: `${fieldManager}/${version}`, limits });
    this.#writer = this.#client.under(noLease);
    this.#discovery = new Discovery(this.#client);
    this.#signal = signal;
    this.#access = access;
  }

  get client(): Client {
    return this.#client;
  }

  close(): void {
    this.#client.close();
  }

  async listConfigs(): Promise<readonly VirtPlatformConfig[]> {
    return (await this.#list()).configs;
  }

  async readConfig(name: string): Promise<VirtPlatformConfig | undefined> {
    const answer = await this.#client.send(getObject(configPlace, { name }), { signal: this.#signal });
    if (answer.kind === "answered" && answer.status === 404 && isAbsent(answer.body)) return undefined;
    return this.#object(answer, { verb: "get", resource: configPlace, name }) as unknown as VirtPlatformConfig;
  }

  async patchConfig(name: string, { type, body }: ConfigPatch): Promise<PatchResult> {
    const request = patchObject(configPlace, { name }, body, { type, fieldManager, isStrict: true });
    const answer = await this.#writer.write(request, { signal: this.#signal });
    if (type === "json" && answer.kind === "answered" && answer.status === 422 && isFailedTest(answer.body))
      return { kind: "moved" };
    const config = this.#object(answer, { verb: "patch", resource: configPlace, name });
    return { kind: "patched", config: config as unknown as VirtPlatformConfig };
  }

  async createConfig(config: KubeObject): Promise<VirtPlatformConfig> {
    const request = createObject(configPlace, {}, config, { fieldManager, isStrict: true });
    const answer = await this.#writer.write(request, { signal: this.#signal });
    const { name } = config.metadata;
    return this.#object(answer, { verb: "create", resource: configPlace, name }) as unknown as VirtPlatformConfig;
  }

  /** Returns the user's name, or an empty string if the API server is older than 1.28 or rejects the request. */
  async readUserName(): Promise<string> {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const request = createObject(userReviews, {}, review);
    const answer = await this.#writer.write(request, { signal: this.#signal });
    if (answer.kind !== "answered" || answer.status >= 300) return "";
    return asText(at(answer.body ?? null, "status", "userInfo", "username")) ?? "";
  }

  /** Reads an object that a plan writes. Returns `unknown` if the read fails. */
  async readTarget(ref: Ref): Promise<LiveTarget> {
    const place = await this.#discovery.place(ref, this.#signal, this.#client);
    if (place.kind !== "served") return { kind: "unknown", message: `${ref.kind} is not served by this cluster` };
    const { name, namespace } = ref;
    const where = place.resource.isNamespaced ? { name, namespace: namespace ?? "default" } : { name };
    const answer = await this.#client.send(getObject(place.resource, where), { signal: this.#signal });
    if (answer.kind === "answered" && answer.status === 404) return { kind: "absent" };
    if (answer.kind === "answered" && answer.status === 200 && answer.body !== undefined)
      return { kind: "found", object: answer.body as KubeObject };
    return { kind: "unknown", message: this.#failure(answer, { verb: "get", resource: place.resource, name }).message };
  }

  /** Predicts a target after the profile's plan by a dry run with the user's permissions. Stores nothing. */
  async predictTarget(desired: KubeObject, profile: string): Promise<LiveTarget> {
    const cluster = clusterFor({ client: this.#writer, discovery: this.#discovery }, this.#signal);
    const write = { manager: profileManager(profile), force: true, expect: "anything" } as const;
    const outcome = await cluster.dryRunApply(desired, write);
    if (outcome.kind === "done" && outcome.live !== undefined) return { kind: "found", object: outcome.live };
    const why = "message" in outcome ? foreignText(outcome.message) : outcome.kind;
    return { kind: "unknown", message: `the dry run failed: ${why}` };
  }

  /** Returns the number of VMs on a node, or undefined if the user may not list VMs. */
  async countVms(node: string): Promise<number | undefined> {
    const resource: Resource = {
      group: "kubevirt.io",
      version: "v1",
      plural: "virtualmachineinstances",
      isNamespaced: true,
    };
    const page = { labelSelector: `kubevirt.io/nodeName=${node}`, limit: 500 };
    const answer = await this.#client.send(listObjects(resource, {}, page), { signal: this.#signal });
    if (answer.kind !== "answered" || answer.status !== 200) return undefined;
    const left = at(answer.body ?? null, "metadata", "remainingItemCount");
    return asList(at(answer.body ?? null, "items")).length + (typeof left === "number" ? left : 0);
  }

  /** Yields all configs immediately, and again after each change. Reconnects until the caller stops or the signal aborts. */
  async *watchConfigs(): AsyncGenerator<ConfigNotice> {
    let known = new Map<string, VirtPlatformConfig>();
    let lostFor = 0;
    let isFirst = true;
    while (!this.#signal.aborted) {
      try {
        const { configs, resourceVersion } = await this.#list();
        if (lostFor > 0) yield { kind: "back" };
        lostFor = 0;
        isFirst = false;
        known = new Map(configs.map((config) => [config.metadata.name, config]));
        yield { kind: "configs", configs };
        for await (const event of this.#follow(resourceVersion)) {
          if (event.type === "DELETED") known.delete(event.object.metadata.name);
          else if (event.type !== "BOOKMARK") known.set(event.object.metadata.name, event.object);
          yield { kind: "configs", configs: [...known.values()] };
        }
      } catch (error) {
        if (this.#signal.aborted) return;
        if (isFirst || !(error instanceof CliError)) throw error;
        const retryInMs = Math.min(1000 * 2 ** Math.min(lostFor, 4), 10_000);
        lostFor += 1;
        yield { kind: "lost", message: error.message, retryInMs };
        await sleep(systemClock, retryInMs, this.#signal);
      }
    }
  }

  async *#follow(resourceVersion: string): AsyncGenerator<{ type: string; object: VirtPlatformConfig }> {
    const request = watchObjects(configPlace, {}, { resourceVersion, timeoutSeconds: 290 });
    const stream = await this.#client.stream(request, { signal: this.#signal });
    if (stream.kind !== "streaming") throw this.#failure(stream, { verb: "watch", resource: configPlace });
    const lines: Buffer[] = [];
    const state = { isOver: false, wake: () => {} };
    const ended = stream
      .follow((more) => {
        lines.push(...more);
        state.wake();
      })
      .then((failure) => {
        state.isOver = true;
        state.wake();
        return failure;
      });
    while (!state.isOver || lines.length > 0) {
      const line = lines.shift();
      if (line === undefined) {
        await new Promise<void>((resolve) => {
          state.wake = resolve;
          if (state.isOver || lines.length > 0) resolve();
        });
        continue;
      }
      const event = JSON.parse(line.toString()) as { type: string; object: VirtPlatformConfig };
      if (event.type === "ERROR") return; // the version is too old: list again
      yield event;
    }
    const failure = await ended;
    if (failure !== undefined) throw new CliError(`the connection was lost: ${foreignText(failure.message)}`);
  }

  async #list(): Promise<{ configs: readonly VirtPlatformConfig[]; resourceVersion: string }> {
    const answer = await this.#client.send(listObjects(configPlace, {}), { signal: this.#signal });
    const list = this.#object(answer, { verb: "list", resource: configPlace });
    const configs = asList(at(list, "items")) as unknown as readonly VirtPlatformConfig[];
    return { configs, resourceVersion: asText(at(list, "metadata", "resourceVersion")) ?? "" };
  }

  #object(answer: ApiAnswer | FailedRequest, call: ApiVerb): KubeObject {
    const isGood = answer.kind === "answered" && answer.status >= 200 && answer.status < 300;
    if (isGood && typeof answer.body === "object" && answer.body !== null) return answer.body as KubeObject;
    throw this.#failure(answer, call);
  }

  #failure(answer: ApiAnswer | FailedRequest, call: ApiVerb): CliError {
    return describeFailure(answer, call, this.#access);
  }
}

/** Tells a failed `test` operation from an invalid object: both return 422, but only an invalid object has causes. */
function isFailedTest(body: Json | undefined): boolean {
  return asList(at(body ?? null, "details", "causes")).length === 0;
}
