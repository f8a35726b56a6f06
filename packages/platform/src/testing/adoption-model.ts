// A model of a cluster in which virt-platform-autopilot and our controller run, for laws about adoptions.

import {
  activationAnnotation,
  autopilotAnnotation,
  autopilotName,
  fieldManagers,
  type JsonMap,
  type KubeObject,
  managedByLabel,
  type Ref,
} from "@virt/api";
import { assessed, readDisruptionPolicies } from "@virt/impact";
import { equalJson } from "@virt/objects";
import { type AdoptionRow, adoptionRow, isNodeObject, refOfObject } from "../adoption/adoption-row.ts";
import {
  type AdoptionPlan,
  type AdoptionStep,
  nextAdoptionStep,
  nextReturnStep,
  type ReturnPlan,
} from "../adoption/adoption-step.ts";
import type { AnnotationOperation } from "../adoption/annotation-patch.ts";
import { objectKey } from "../evaluate/managed-objects.ts";
import { objectAnnotations } from "../hco-annotations.ts";

/** An object that the autopilot applies, and our object with the same purpose. */
export type ModelPair = {
  readonly asset: string;
  readonly kind: "MachineConfig" | "UIPlugin" | "HyperConverged";
  readonly hasOurName: boolean;
  readonly isEqual: boolean;
  readonly isUnmanaged: boolean;
};

const { adopt, mode } = objectAnnotations;
const hcoRef: Ref = { apiVersion: "v1", kind: "HyperConverged", name: "hco", namespace: "ns" };
const quietSeconds = 30;
const longestRunSeconds = 20;

export class AdoptionModel {
  readonly objects = new Map<string, KubeObject>();
  readonly #pairs: readonly ModelPair[];
  /** Objects that both operators managed at the same time. */
  readonly managedByBoth: string[] = [];
  /** Objects that were annotated while the autopilot could still write. */
  readonly annotatedEarly: string[] = [];
  /** Deletions and changes of MachineConfigs. */
  readonly nodeWrites: string[] = [];
  #seconds = 0;
  #lastTheirWrite = 0;
  #switchedOffAt: number | undefined;
  /** Our key as our controller last read it. */
  #seenKey = "false";
  #version = 0;

  constructor(pairs: readonly ModelPair[]) {
    this.#pairs = [
      { asset: "golden", kind: "HyperConverged", hasOurName: true, isEqual: true, isUnmanaged: false },
      ...pairs,
    ];
    this.#put(objectOf(hcoRef, {}, { uid: "hco" }));
    this.runAutopilot();
    for (const pair of this.#pairs) if (pair.isUnmanaged) this.#annotate(theirRef(pair), { [mode]: "unmanaged" });
    this.nodeWrites.length = 0;
  }

  pass(seconds: number): void {
    this.#seconds += seconds;
  }

  runAutopilot(): void {
    if (!this.#mayTheyWrite()) return;
    for (const pair of this.#pairs) {
      const live = this.#live(theirRef(pair));
      if (live?.metadata.annotations?.[mode] === "unmanaged") continue;
      this.#apply(theirRef(pair), contentOf("theirs", pair), autopilotName);
    }
    this.#checkManagers();
  }

  runController(): void {
    this.#seenKey = this.#hco().metadata.annotations?.[activationAnnotation] ?? "false";
    if (!this.#isTheirsOff()) return;
    for (const pair of this.#pairs) if (this.#isListed(pair)) this.#reconcile(pair);
    this.#checkManagers();
  }

  rows(replaced: ReadonlySet<string>): readonly AdoptionRow[] {
    return this.#candidates().map(({ pair, live }) => this.#row(pair, live, replaced));
  }

  plan(replaced: ReadonlySet<string>): AdoptionPlan {
    const marked = this.#candidates().filter(({ live }) => live.metadata.annotations?.[adopt] === "replace");
    const asked = new Set([...replaced, ...marked.map(({ pair }) => pair.asset)]);
    const chosen = this.#candidates().map((one) => ({ ...one, ...this.#row(one.pair, one.live, asked) }));
    const listed = (this.#hco().metadata.annotations?.[activationAnnotation] ?? "").split(",");
    const known = listed.filter((name) => name !== "" && name !== "false");
    const named = (action: AdoptionRow["action"]) =>
      chosen.flatMap((one) => (one.action === action ? one.pair.asset : []));
    const keyOf = (...assets: readonly string[]) => [...new Set([...known, ...assets])].join(",") || "golden";
    const of = (action: AdoptionRow["action"], hasOurName: boolean) =>
      chosen.filter((one) => one.action === action && one.pair.hasOurName === hasOurName);
    return {
      hco: this.#hco(),
      annotations: { [autopilotAnnotation]: "false", [activationAnnotation]: keyOf(...named("take over")) },
      takeOver: chosen.flatMap((one) => (one.action === "take over" ? [adoptedObject(one)] : [])),
      overwrite: of("replace", true).map(adoptedObject),
      replace: of("replace", false).map(({ live, pair }) => ({ theirs: live, ours: [ourRef(pair)] })),
      keyWithReplaced: keyOf(...named("take over"), ...named("replace")),
      pools: [],
    };
  }

  returnPlan(): ReturnPlan {
    const adopted = [...this.objects.values()].filter(({ metadata }) => metadata.annotations?.[adopt] !== undefined);
    return { hco: this.#hco(), adopted };
  }

  adoptionStep(plan: AdoptionPlan): AdoptionStep {
    const live = (ref: Ref) => this.#live(ref);
    this.#noticeSwitch();
    return nextAdoptionStep(plan, { hco: this.#hco(), isAutopilotOff: this.#isTheirsOff(), rollingPools: [], live });
  }

  returnStep(plan: ReturnPlan): AdoptionStep {
    const live = (ref: Ref) => this.#live(ref);
    return nextReturnStep(plan, { hco: this.#hco(), isControllerIdle: this.#seenKey === "false", live });
  }

  /** Does nothing for a wait. */
  take(step: AdoptionStep): void {
    const isAdopted =
      step.kind === "patch" && step.patch.some(({ op, path }) => op === "add" && path.endsWith("adopt"));
    if (isAdopted && this.#mayTheyWrite()) this.annotatedEarly.push(step.object.metadata.name);
    if (step.kind === "patch") this.#patch(refOfObject(step.object), step.patch);
    if (step.kind === "delete") this.#delete(refOfObject(step.object));
    this.#noticeSwitch();
    this.#checkManagers();
  }

  managerOf(ref: Ref): string | undefined {
    return this.#live(ref)?.metadata.labels?.[managedByLabel.key];
  }

  theirContentIsRestored(): boolean {
    return this.#pairs.every(
      (pair) => pair.isUnmanaged || equalJson(this.#live(theirRef(pair))?.["spec"], contentOf("theirs", pair)),
    );
  }

  #row(pair: ModelPair, live: KubeObject, replaced: ReadonlySet<string>): AdoptionRow {
    const ours = objectOf(ourRef(pair), contentOf("ours", pair), {});
    const nodes = { pools: [], policies: assessed(readDisruptionPolicies(undefined)) };
    const described = { live, assets: [pair.asset], ours: [ourRef(pair)] };
    if (pair.isUnmanaged)
      return adoptionRow({ ...described, forecast: { kind: "not-applied", why: "" } }, replaced, nodes);
    const forecast = pair.hasOurName
      ? ({ kind: "predicted", object: { ...live, spec: ours["spec"] ?? {} } } as const)
      : ({ kind: "other-name", objects: [ours] } as const);
    return adoptionRow({ ...described, forecast }, replaced, nodes);
  }

  #candidates() {
    return this.#pairs.flatMap((pair) => {
      const live = this.#live(theirRef(pair));
      return live === undefined || live.metadata.labels?.[managedByLabel.key] !== autopilotName ? [] : [{ pair, live }];
    });
  }

  #noticeSwitch(): void {
    const isOff = this.#hco().metadata.annotations?.[autopilotAnnotation] === "false";
    this.#switchedOffAt = isOff ? (this.#switchedOffAt ?? this.#seconds) : undefined;
  }

  /** A run of the autopilot that started while it was on may still write for a while. */
  #mayTheyWrite(): boolean {
    return this.#switchedOffAt === undefined || this.#seconds - this.#switchedOffAt < longestRunSeconds;
  }

  #isTheirsOff(): boolean {
    if (this.#switchedOffAt === undefined) return false;
    return this.#seconds - Math.max(this.#switchedOffAt, this.#lastTheirWrite) >= quietSeconds;
  }

  #reconcile(pair: ModelPair): void {
    const live = this.#live(ourRef(pair));
    const other = pair.hasOurName ? undefined : this.#live(theirRef(pair));
    if (live === undefined && other !== undefined && other.metadata.annotations?.[adopt] !== "replace") return;
    const isTheirs = live?.metadata.labels?.[managedByLabel.key] === autopilotName;
    if (isTheirs && live.metadata.annotations?.[adopt] !== "true") return;
    this.#apply(ourRef(pair), contentOf("ours", pair), fieldManagers.platform);
  }

  #checkManagers(): void {
    if (!this.#mayTheyWrite()) return;
    for (const pair of this.#pairs) {
      const isOurs = this.managerOf(ourRef(pair)) === managedByLabel.value && this.#isListed(pair);
      if (isOurs && !pair.isUnmanaged) this.managedByBoth.push(pair.asset);
    }
  }

  #isListed({ asset }: ModelPair): boolean {
    return this.#seenKey.split(",").includes(asset);
  }

  #apply(ref: Ref, spec: JsonMap, manager: string): void {
    const live = this.#live(ref);
    const isDue = live?.metadata.labels?.[managedByLabel.key] !== manager || !equalJson(live["spec"], spec);
    if (!isDue) return;
    if (isNodeObject(ref) && !equalJson(live?.["spec"], spec)) this.nodeWrites.push(`${manager} ${ref.name}`);
    if (manager === autopilotName) this.#lastTheirWrite = this.#seconds;
    const fieldsV1 = { "f:metadata": { "f:labels": { [`f:${managedByLabel.key}`]: {} } } };
    const { annotations, uid = `${objectKey(ref)} ${this.#version}` } = live?.metadata ?? {};
    this.#put(
      objectOf(ref, spec, {
        uid,
        ...(annotations !== undefined && { annotations }),
        labels: { [managedByLabel.key]: manager },
        managedFields: [{ manager, operation: "Apply", apiVersion: ref.apiVersion, fieldsType: "FieldsV1", fieldsV1 }],
      }),
    );
  }

  #delete(ref: Ref): void {
    if (isNodeObject(ref)) this.nodeWrites.push(`deleted ${ref.name}`);
    this.objects.delete(objectKey(ref));
  }

  #patch(ref: Ref, patch: readonly AnnotationOperation[]): void {
    const changes = patch.flatMap((operation) => {
      const [, key] = /^\/metadata\/annotations\/(.+)$/.exec(operation.path) ?? [];
      if (key === undefined || operation.op === "test") return [];
      return [
        [
          key.replaceAll("~1", "/"),
          operation.op === "add" && typeof operation.value === "string" ? operation.value : null,
        ] as const,
      ];
    });
    this.#annotate(ref, Object.fromEntries(changes));
  }

  #annotate(ref: Ref, changes: Readonly<Record<string, string | null>>): void {
    const live = this.#live(ref);
    if (live === undefined) return;
    const entries = Object.entries({ ...live.metadata.annotations, ...changes });
    const annotations = Object.fromEntries(entries.filter(([, value]) => value !== null)) as Record<string, string>;
    this.#put({ ...live, metadata: { ...live.metadata, annotations } });
  }

  #put(object: KubeObject): void {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: `${this.#version}` };
    this.objects.set(objectKey(refOfObject(object)), { ...object, metadata });
  }

  #live(ref: Ref): KubeObject | undefined {
    return this.objects.get(objectKey(ref));
  }

  #hco(): KubeObject {
    return this.#live(hcoRef) as KubeObject;
  }
}

function adoptedObject({ live, pair }: { readonly live: KubeObject; readonly pair: ModelPair }) {
  return { live, predicted: { ...live, spec: contentOf("ours", pair) } };
}

export function theirRef(pair: ModelPair): Ref {
  if (pair.kind === "HyperConverged") return hcoRef;
  return { apiVersion: "v1", kind: pair.kind, name: pair.hasOurName ? pair.asset : `90-${pair.asset}` };
}

export function ourRef(pair: ModelPair): Ref {
  return pair.hasOurName ? theirRef(pair) : { apiVersion: "v1", kind: pair.kind, name: `50-${pair.asset}` };
}

function contentOf(whose: "theirs" | "ours", { asset, isEqual }: ModelPair): JsonMap {
  return { value: isEqual ? asset : `${asset} of ${whose}` };
}

function objectOf({ apiVersion, kind, name, namespace }: Ref, spec: JsonMap, metadata: JsonMap): KubeObject {
  return { apiVersion, kind, metadata: { name, ...(namespace && { namespace }), ...metadata }, spec };
}
