// An in-memory cluster with one config, which runs the real decision functions. The test controls the cluster's
// behavior.

import {
  type Item,
  type Json,
  type KubeObject,
  profileManager,
  type Ref,
  type Spec,
  type Status,
  type VirtPlatformConfig,
} from "@virt/api";
import { digest, targetKey } from "@virt/objects";
import { type ComparedItem, composeDraft } from "../compose-draft.ts";
import { findDriftSuspects } from "../drift.ts";
import type { Drifts, ReconcileFacts } from "../facts.ts";
import { isStale } from "../hashes.ts";
import { leftBehindOf, wantsLeftBehind } from "../left-behind.ts";
import { observe } from "../observe.ts";
import type { Decision, Drift, Observed } from "../observed.ts";
import { plannedItems } from "../plan.ts";
import type { PlannedItem } from "../profile.ts";
import { type DiagnosedRollout, publishStatus } from "../publish-status.ts";
import { isRolloutOpen } from "../rollout/rollouts.ts";
import { type ItemResult, recordItemResult } from "../stages/execute.ts";
import { transition, wantsDraft } from "../transition.ts";
import { now, spec } from "./observed-fixtures.ts";
import { inputRef, machineTarget, smallProfile } from "./small-profile.ts";

export type HarnessBehaviour = {
  isServed: boolean;
  /** True if nodes update to the target config of their pool. */
  isRollingOut: boolean;
  isRefusing: boolean;
  isUnavailable: boolean;
  /** True if the pool's status lags behind its nodes. */
  isPoolSilent: boolean;
  areVmsReadable: boolean;
};

export type DiagnoseHarness = (
  facts: ReconcileFacts,
  nodes: readonly KubeObject[],
  behaviour: HarnessBehaviour,
) => { readonly rollingNodes: NonNullable<ReconcileFacts["rollingNodes"]>; readonly diagnosed: DiagnosedRollout };

/** If there are several nodes, they update one at a time. A single node updates immediately. */
export type HarnessOptions = { readonly nodes?: number; readonly diagnose?: DiagnoseHarness };

/** A node. `config` is the rendered config that it runs. */
type HarnessNode = { readonly name: string; config: string; desired: string };

export type ItemWrite = { readonly item: string; readonly planHash: string | undefined; readonly isOnRecord: boolean };

export class ConfigHarness {
  readonly behaviour: HarnessBehaviour = {
    isServed: true,
    isRollingOut: true,
    isRefusing: false,
    isUnavailable: false,
    isPoolSilent: false,
    areVmsReadable: true,
  };
  readonly written: ItemWrite[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #writers = new Map<string, string>();
  #spec: Spec = spec({ profile: "small", action: "DryRun" });
  #generation = 1;
  #status: Status = {};
  #nowMs = now;
  #made = 0;
  readonly #nodes: readonly HarnessNode[];
  readonly #diagnose: DiagnoseHarness | undefined;
  #poolStatus: Readonly<Record<string, Json>> | undefined;
  readonly #rendered = new Map<string, KubeObject>();

  constructor({ nodes = 1, diagnose }: HarnessOptions = {}) {
    const none = { config: "rendered-none", desired: "rendered-none" };
    this.#nodes = Array.from({ length: nodes }, (_, index) => ({ name: `worker-${index}`, ...none }));
    this.#diagnose = diagnose;
  }

  get status(): Status {
    return this.#status;
  }

  get spec(): Spec {
    return this.#spec;
  }

  get config(): VirtPlatformConfig {
    const metadata = { name: "small", generation: this.#generation };
    return { apiVersion: "", kind: "", metadata, spec: this.#spec, status: this.#status };
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get nodes(): readonly KubeObject[] {
    return this.#nodes.map(nodeObject);
  }

  get pool(): KubeObject {
    return this.#pool();
  }

  get updatedNodes(): number {
    const target = this.#target();
    return this.#nodes.filter(({ config, desired }) => config === target && desired === target).length;
  }

  edit(change: Partial<Spec>): void {
    const next = { ...this.#spec, ...change };
    if (digest(next) === digest(this.#spec)) return; // an unchanged spec does not increase the generation
    this.#spec = next;
    this.#generation += 1;
  }

  live(ref: Ref): KubeObject | undefined {
    return this.#objects.get(targetKey(ref));
  }

  lastWriter(ref: Ref): string | undefined {
    return this.#writers.get(targetKey(ref));
  }

  /** Writes an object as another client. Undefined content deletes it. */
  put(ref: Ref, content: object | undefined, manager = "kubectl"): void {
    const before = this.live(ref);
    this.#writers.set(targetKey(ref), manager);
    this.#made += 1;
    if (content === undefined) this.#objects.delete(targetKey(ref));
    else this.#objects.set(targetKey(ref), this.#object(ref, content, { before, manager }));
  }

  #object(
    ref: Ref,
    content: object,
    by: { readonly before: KubeObject | undefined; readonly manager: string },
  ): KubeObject {
    const { apiVersion, kind, name, namespace } = ref;
    const uid = by.before?.metadata.uid ?? `uid-${this.#made}`;
    const fieldsV1 = { "f:spec": { "f:kernelArguments": {} }, "f:data": {} };
    const managedFields = [{ manager: by.manager, operation: "Apply", apiVersion, fieldsType: "FieldsV1", fieldsV1 }];
    const labels = { "machineconfiguration.openshift.io/role": "worker" };
    const metadata = {
      name,
      ...(namespace && { namespace }),
      ...(kind === "MachineConfig" && { labels }),
      uid,
      resourceVersion: `${this.#made}`,
      managedFields,
    };
    return { ...content, apiVersion, kind, metadata };
  }

  /** Reconciles once. A crash loses the new status but not the side effects on the cluster. */
  reconcile(isCrashing = false): Decision {
    this.#nowMs += 61_000;
    if (this.behaviour.isRollingOut) this.#rollOut();
    if (!this.behaviour.isPoolSilent) this.#poolStatus = this.#countedStatus();
    const decision = this.#decide();
    if (!isCrashing) this.#status = decision.status;
    return decision;
  }

  #decide(): Decision {
    const plain = this.#facts();
    const isFollowed = this.#spec.action !== "Ignore" && isRolloutOpen(this.#status);
    const rollout = isFollowed ? this.#diagnose?.(plain, this.nodes, this.behaviour) : undefined;
    const facts = { ...plain, ...(rollout && { rollingNodes: rollout.rollingNodes }) };
    const before = observe(facts, this.#drifts(facts));
    const observed: Observed = wantsDraft(before) ? { ...before, draft: this.#draft(facts) } : before;
    const decision = transition(observed);
    const done =
      decision.effect === undefined
        ? decision
        : recordItemResult(observed, decision.effect.item, this.#perform(decision.effect.item));
    return publishStatus(done, observed, { rollout: rollout?.diagnosed });
  }

  #draft(facts: ReconcileFacts): NonNullable<Observed["draft"]> {
    if (this.behaviour.isUnavailable) return { kind: "unavailable", message: "503" };
    return composeDraft(
      facts,
      plannedItems(facts).map((planned) => this.#compared(planned)),
    );
  }

  #compared(planned: PlannedItem): ComparedItem {
    const live = this.live(planned.target);
    if (planned.operation === "Delete") return { planned, live, conflicts: [] };
    const metadata = { ...live?.metadata, ...planned.desired.metadata };
    return { planned, live, predicted: { ...live, ...planned.desired, metadata }, conflicts: [] };
  }

  #drifts(facts: ReconcileFacts): Drifts {
    const what = { fields: ["x"], changes: ["x"], managers: ["kubectl"], conflicts: [] };
    const drift = (kind: Drift["kind"]): Drift => ({ kind, ...what, diff: "--- drifted\n" });
    return new Map(
      findDriftSuspects(facts).map(({ item, live }) => [item.name, drift(live === undefined ? "deleted" : "changed")]),
    );
  }

  #perform(item: Item): ItemResult {
    if (this.behaviour.isUnavailable) return { kind: "unavailable", message: "503" };
    const live = this.live(item.targetRef);
    const { bypassOptimisticLock, approvedPlan } = this.#spec;
    if (this.#isDone(item, live)) return { kind: "confirmed" };
    if (isStale(item, live) && !(bypassOptimisticLock && approvedPlan === undefined)) return { kind: "stale" };
    if (this.behaviour.isRefusing) return { kind: "rejected", message: "no" };
    const isOnRecord =
      this.#status.items?.some(({ name, state }) => name === item.name && state === "InProgress") === true;
    this.written.push({ item: item.name, planHash: this.#status.planHash, isOnRecord });
    this.put(item.targetRef, item.desiredState, profileManager(smallProfile.name));
    return { kind: "confirmed" };
  }

  #isDone({ desiredState, targetRef }: Item, live: KubeObject | undefined): boolean {
    if (desiredState === undefined || live === undefined) return desiredState === live;
    const wanted = this.#object(targetRef, desiredState, { before: live, manager: profileManager(smallProfile.name) });
    const content = ({ metadata: { managedFields }, ...rest }: KubeObject) =>
      digest({ ...rest, metadata: { managedFields: managedFields ?? null } });
    return content(wanted) === content(live);
  }

  #facts(): ReconcileFacts {
    return {
      now: this.#nowMs,
      operator: { version: "v1", mustPin: false },
      config: this.config,
      profile: smallProfile,
      facts: { input: this.live(inputRef), ownNamespace: "own" },
      isServed: () => this.behaviour.isServed,
      live: (ref) => this.live(ref),
      pools: [this.#pool()],
      vmNodes: this.nodes,
      renderedOf: (name) => this.#rendered.get(name),
      isForDraft: true,
      statusOrigin: "own",
      ...(wantsLeftBehind(this.config, "own") && {
        leftBehind: leftBehindOf([...this.#objects.values()], profileManager(smallProfile.name)),
      }),
    };
  }

  #target(): string {
    const machine = this.live(machineTarget);
    if (machine === undefined) return "rendered-none";
    const name = `rendered-${digest(machine["spec"] ?? null)}`;
    this.#rendered.set(name, machine);
    return name;
  }

  /** Updates one node at a time. The node gets its target config now, and runs it at the next reconcile. */
  #rollOut(): void {
    const target = this.#target();
    const busy = this.#nodes.find(({ config, desired }) => config !== desired);
    if (busy !== undefined) busy.config = busy.desired;
    const next = busy === undefined ? this.#nodes.find(({ desired }) => desired !== target) : undefined;
    if (next === undefined) return;
    next.desired = target;
    if (this.#nodes.length === 1) next.config = target;
  }

  #countedStatus(): Readonly<Record<string, Json>> {
    const target = this.#target();
    const updated = this.updatedNodes;
    const isThere = updated === this.#nodes.length;
    const condition = (type: string, is: boolean) => ({ type, status: is ? "True" : "False" });
    return {
      machineCount: this.#nodes.length,
      updatedMachineCount: updated,
      readyMachineCount: this.#nodes.length === 1 ? 1 : updated,
      configuration: isThere
        ? { name: target, source: this.#sources() }
        : (this.#poolStatus?.["configuration"] ?? { name: "rendered-none", source: [] }),
      conditions: [condition("Updated", isThere), condition("Updating", !isThere)],
    };
  }

  #sources(): Json[] {
    return this.live(machineTarget) === undefined ? [] : [{ name: machineTarget.name }];
  }

  #pool(): KubeObject {
    return {
      apiVersion: machineTarget.apiVersion,
      kind: "MachineConfigPool",
      metadata: { name: "worker" },
      spec: {
        configuration: { name: this.#target(), source: this.#sources() },
        nodeSelector: { matchLabels: { "node-role.kubernetes.io/worker": "" } },
      },
      status: this.#poolStatus ?? this.#countedStatus(),
    };
  }
}

function nodeObject({ name, config, desired }: HarnessNode): KubeObject {
  const note = "machineconfiguration.openshift.io";
  const annotations = {
    [`${note}/currentConfig`]: config,
    [`${note}/desiredConfig`]: desired,
    [`${note}/state`]: config === desired ? "Done" : "Working",
  };
  const labels = { "node-role.kubernetes.io/worker": "" };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels, annotations } };
}
