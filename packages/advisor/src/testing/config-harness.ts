// A cluster in memory with one config in it, driven by the real functions: what may happen to it is chosen from outside.

import { fieldManagers, type Item, type KubeObject, type Ref, type Spec, type Status } from "@virt/api";
import { digest, targetKey } from "@virt/engine";
import { type ComparedItem, composeDraft } from "../compose-draft.ts";
import { findDriftSuspects } from "../drift.ts";
import type { Drifts, ReconcileFacts } from "../facts.ts";
import { isStale } from "../hashes.ts";
import { observe } from "../observe.ts";
import type { Decision, Drift, Observed } from "../observed.ts";
import { plannedItems } from "../plan.ts";
import type { PlannedItem } from "../profile.ts";
import { type ItemResult, recordItemResult } from "../stages/execute.ts";
import { transition, wantsDraft } from "../transition.ts";
import { now, spec } from "./observed-fixtures.ts";
import { inputRef, machineTarget, smallProfile } from "./small-profile.ts";

export type HarnessBehaviour = {
  isServed: boolean;
  /** Whether the nodes take what their pool aims at. */
  isRollingOut: boolean;
  isRefusing: boolean;
  isUnavailable: boolean;
};

export type ItemWrite = { readonly item: string; readonly planHash: string | undefined; readonly isOnRecord: boolean };

export class ConfigHarness {
  readonly behaviour: HarnessBehaviour = {
    isServed: true,
    isRollingOut: true,
    isRefusing: false,
    isUnavailable: false,
  };
  readonly written: ItemWrite[] = [];
  readonly #objects = new Map<string, KubeObject>();
  #spec: Spec = spec({ profile: "small", action: "DryRun" });
  #generation = 1;
  #status: Status = {};
  #nowMs = now;
  #made = 0;
  #rolledOut = "rendered-none";
  readonly #rendered = new Map<string, KubeObject>();

  get status(): Status {
    return this.#status;
  }

  get spec(): Spec {
    return this.#spec;
  }

  edit(change: Partial<Spec>): void {
    const next = { ...this.#spec, ...change };
    if (digest(next) === digest(this.#spec)) return; // the API server makes no generation of nothing
    this.#spec = next;
    this.#generation += 1;
  }

  live(ref: Ref): KubeObject | undefined {
    return this.#objects.get(targetKey(ref));
  }

  /** Somebody writes an object; undefined deletes it. */
  put(ref: Ref, content: object | undefined, manager = "kubectl"): void {
    const before = this.live(ref);
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

  /** One reconcile. A crash loses what it decided, but not what it did. */
  reconcile(isCrashing = false): Decision {
    this.#nowMs += 61_000;
    const decision = this.#decide();
    if (!isCrashing) this.#status = decision.status;
    return decision;
  }

  #decide(): Decision {
    const facts = this.#facts();
    const before = observe(facts, this.#drifts(facts));
    const observed: Observed = wantsDraft(before) ? { ...before, draft: this.#draft(facts) } : before;
    const decision = transition(observed);
    return decision.effect === undefined
      ? decision
      : recordItemResult(observed, decision.effect.item, this.#perform(decision.effect.item));
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
    this.put(item.targetRef, item.desiredState, fieldManagers.advisor);
    return { kind: "confirmed" };
  }

  #isDone({ desiredState, targetRef }: Item, live: KubeObject | undefined): boolean {
    if (desiredState === undefined || live === undefined) return desiredState === live;
    const wanted = this.#object(targetRef, desiredState, { before: live, manager: fieldManagers.advisor });
    const content = ({ metadata: { managedFields }, ...rest }: KubeObject) =>
      digest({ ...rest, metadata: { managedFields: managedFields ?? null } });
    return content(wanted) === content(live);
  }

  #facts(): ReconcileFacts {
    const metadata = { name: "small", generation: this.#generation };
    return {
      now: this.#nowMs,
      operator: { version: "v1", mustPin: false },
      config: { apiVersion: "", kind: "", metadata, spec: this.#spec, status: this.#status },
      profile: smallProfile,
      facts: { input: this.live(inputRef), ownNamespace: "own" },
      isServed: () => this.behaviour.isServed,
      live: (ref) => this.live(ref),
      pools: [this.#pool()],
      vmNodes: [this.#node()],
      renderedOf: (name) => this.#rendered.get(name),
      isForDraft: true,
      statusOrigin: "own",
    };
  }

  /** Runs what its pool has rolled out. */
  #node(): KubeObject {
    const annotations = { "machineconfiguration.openshift.io/currentConfig": this.#rolledOut };
    return { apiVersion: "v1", kind: "Node", metadata: { name: "worker-0", annotations } };
  }

  #pool(): KubeObject {
    const machine = this.live(machineTarget);
    const name = machine === undefined ? "rendered-none" : `rendered-${digest(machine["spec"] ?? null)}`;
    if (machine !== undefined) this.#rendered.set(name, machine);
    if (this.behaviour.isRollingOut) this.#rolledOut = name;
    const isThere = this.#rolledOut === name;
    const counts = { machineCount: 1, updatedMachineCount: isThere ? 1 : 0, readyMachineCount: 1 };
    const condition = (type: string, is: boolean) => ({ type, status: is ? "True" : "False" });
    return {
      apiVersion: machineTarget.apiVersion,
      kind: "MachineConfigPool",
      metadata: { name: "worker" },
      spec: { configuration: { name, source: machine === undefined ? [] : [{ name: machineTarget.name }] } },
      status: {
        ...counts,
        configuration: { name: this.#rolledOut },
        conditions: [condition("Updated", isThere), condition("Updating", !isThere)],
      },
    };
  }
}
