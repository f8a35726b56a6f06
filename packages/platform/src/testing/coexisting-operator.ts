// One process of the operator next to virt-platform-autopilot, with caches that lag behind the cluster.

import { activationAnnotation, autopilotAnnotation, autopilotName, fieldManagers, type KubeObject, managedByLabel } from "@virt/api"; // biome-ignore format: one line
import { type AutopilotMemory, followAutopilot, isAutopilotManager, isAutopilotObject } from "@virt/cluster";
import { fullBucket, leafPaths, noSchema, readOwners, writePath } from "@virt/objects";
import { type ActivationMode, readActivation } from "../activation.ts";
import { isCounterpartApplied } from "../autopilot/counterpart.ts";
import { holdersOf, isWriteDue } from "../baseline/compare.ts";
import { decideObject } from "../baseline/decide-object.ts";
import type { ApplyDecision } from "../baseline/decision.ts";
import { type ObjectMemory, observeObject, shapeOfObject } from "../baseline/observe-object.ts";
import { transferObject } from "../baseline/release.ts";
import { noteThere } from "../baseline/state.ts";
import { firstLegacyConsent, followLegacyConsent, type LegacyConsent } from "../consent/legacy-consent.ts";
import { buildClusterFacts, type ClusterFacts } from "../evaluate/cluster-facts.ts";
import { evaluateObject, type ManagedObject } from "../evaluate/evaluate-object.ts";
import { lookupIn } from "../evaluate/lookup.ts";
import { managedObjects, objectKey } from "../evaluate/managed-objects.ts";
import { exactAnnotation, releasedManager } from "../hco-annotations.ts";
import { type CoexistingCluster, coexistingAssets, hcoKey } from "./coexisting-cluster.ts";

export type CoexistenceDefect =
  | "misses the autopilot"
  | "writes over newer objects"
  | "keeps its fields"
  | "corrects every difference"
  | "obeys the other key"
  | "forgets that the consent ended"
  | "consents at every start";

/** Records that outlive a process: the stored consent, and the report that shows that this release has run. */
export type StoredRecords = { consent: LegacyConsent | undefined; hasRun: boolean };

export const managedThings: readonly ManagedObject[] = managedObjects(coexistingAssets, {
  hcoNamespace: "cnv",
  hcoApiVersion: "hco.kubevirt.io/v1",
  ownNamespace: "own",
});

export type OwnWrite = { readonly law: 1 | 2 | undefined; readonly key: string; readonly text: string };

export type OperatorInput = {
  readonly cluster: CoexistingCluster;
  readonly records: StoredRecords;
  readonly mode: ActivationMode;
  readonly defect: CoexistenceDefect | undefined;
  readonly onWrite: (write: OwnWrite) => void;
};

export class CoexistingOperator {
  readonly #input: OperatorInput;
  readonly #memories = new Map<string, ObjectMemory>();
  readonly #seen = new Map<string, KubeObject>();
  #deployment: KubeObject | undefined;
  #autopilot: AutopilotMemory | undefined;
  #lastWriteMs = 0;

  constructor(input: OperatorInput) {
    this.#input = input;
    const { cluster, records } = input;
    for (const key of [...cluster.objects.keys(), "Deployment"]) this.#read(key);
    if (!records.hasRun || input.defect === "consents at every start") records.consent = this.#firstConsent();
    records.hasRun = true;
    this.#followConsent();
  }

  get #hco(): KubeObject {
    return this.#seen.get(hcoKey) as KubeObject;
  }

  get isAutopilotSeen(): boolean {
    return this.#deployment !== undefined;
  }

  get key(): string {
    return this.#said().key ?? "";
  }

  #said() {
    const { annotations = {} } = this.#hco.metadata;
    const [key, autopilot] = [activationAnnotation, autopilotAnnotation].map((name) =>
      exactAnnotation(annotations, name),
    );
    return { key, autopilot };
  }

  #firstConsent(): LegacyConsent | undefined {
    const said = this.#said();
    const wasActive = said.autopilot !== undefined && readActivation(said.autopilot, coexistingAssets).isActive;
    const isOurs = (object: KubeObject) => readOwners(object).some(({ manager }) => manager === fieldManagers.platform);
    return firstLegacyConsent({ ...said, wasActive, ownsObject: [...this.#seen.values()].some(isOurs) });
  }

  #followConsent(): void {
    const { records, defect, mode } = this.#input;
    const isAutopilotPresent = this.#deployment !== undefined || isAutopilotManager(this.#hco);
    const next = followLegacyConsent(records.consent, { ...this.#said(), mode, isAutopilotPresent });
    if (defect !== "forgets that the consent ended") records.consent = next;
  }

  /** Updates the cache of one object or of the Deployment. */
  deliver(key: string): void {
    this.#read(key);
    if (key === hcoKey || key === "Deployment") this.#followConsent();
  }

  #read(key: string): void {
    const { cluster } = this.#input;
    if (key === "Deployment") this.#deployment = cluster.deployment;
    const live = cluster.live(key);
    if (live === undefined) this.#seen.delete(key);
    else this.#seen.set(key, live);
    const times = live === undefined ? [] : readOwners(live).filter(({ manager }) => manager === autopilotName);
    for (const { time = "" } of times) this.#lastWriteMs = Math.max(this.#lastWriteMs, Date.parse(time));
  }

  facts(): ClusterFacts {
    const { cluster, mode, records, defect } = this.#input;
    const hco = this.#hco;
    const time = { wallMs: cluster.now, monotonicMs: cluster.now };
    const observed = { hco, deployment: this.#deployment, lastWriteMs: this.#lastWriteMs };
    const isMissed = defect === "misses the autopilot" || defect === "corrects every difference";
    this.#autopilot = followAutopilot(this.#autopilot, observed, time);
    const isPresent = this.#deployment !== undefined || isAutopilotManager(hco);
    return buildClusterFacts(hco, {
      lookup: lookupIn({ objects: [...this.#seen.values()], crds: [] }),
      assets: coexistingAssets,
      activation: mode,
      images: {},
      purposesOf: () => [],
      ownNamespace: "own",
      exclusions: [],
      released: {},
      autopilot: {
        memory: isMissed ? { ...this.#autopilot, state: "Absent" } : this.#autopilot,
        isPresent: isPresent && defect !== "obeys the other key",
      },
      legacyConsent: records.consent,
    });
  }

  reconcile(object: ManagedObject): void {
    const { cluster, defect } = this.#input;
    const facts = this.facts();
    const key = objectKey(object.ref);
    const { wanted } = evaluateObject(object, { facts, shapeOf: noSchema, lastKnown: new Map() });
    if (wanted.kind !== "object") return void this.#memories.delete(key);
    const live = this.#seen.get(key);
    const before = this.#memories.get(key) ?? { bucket: fullBucket, wasThere: false };
    const memory = live === undefined ? before : noteThere(before, live);
    const times = { now: cluster.now, monotonicMs: cluster.now };
    const seen = observeObject(object, wanted, { facts, ...times, memory });
    const decision = decideObject(defect === undefined ? seen : { ...seen, ...flawed(seen.live, defect) });
    this.#memories.set(key, memory);
    if (decision.kind === "in-sync" && live !== undefined)
      this.#memories.set(key, { ...memory, answer: memory.answer ?? live, sent: decision.intent });
    if (decision.kind !== "apply") return;
    const isRaced = facts.autopilot.state === "Active" && cluster.live(key)?.metadata.resourceVersion !== live?.metadata.resourceVersion; // biome-ignore format: one line
    if (isRaced && defect !== "writes over newer objects") return;
    this.#write(object, decision.apply, { facts, memory: { ...memory, bucket: decision.bucket } });
  }

  #write(
    object: ManagedObject,
    due: ApplyDecision,
    { facts, memory }: { readonly facts: ClusterFacts; readonly memory: ObjectMemory },
  ): void {
    const { cluster, onWrite } = this.#input;
    const { ref } = object;
    const key = objectKey(ref);
    const truth = cluster.live(key);
    if ((truth === undefined) !== (due.cause === "create")) return; // the server answers 409
    const predicted = truth && cluster.objects.get(key)?.predict(fieldManagers.platform, due.object, cluster.now);
    if (truth !== undefined && predicted !== undefined && due.handOver.length === 0 && !isWriteDue(truth, predicted))
      return void this.#memories.set(key, { ...memory, answer: predicted, sent: due.intent });
    onWrite({ key, law: this.#brokenLaw(object, due, { truth, facts }), text: `${key}: ${due.cause}` });
    const stored = cluster.created(ref);
    if (due.handOver.length > 0) stored.apply(releasedManager, transferObject(stored.live, due.handOver), cluster.now);
    const answer = stored.apply(fieldManagers.platform, due.object, cluster.now);
    this.#memories.set(key, { ...memory, wasThere: true, answer, sent: due.intent });
    this.#seen.set(key, answer); // the next reconcile waits until the cache contains the answer
  }

  /** Judges a write by the state that this process sees, and by the true object. */
  #brokenLaw(
    object: ManagedObject,
    { object: body, handOver }: ApplyDecision,
    { truth, facts }: { readonly truth: KubeObject | undefined; readonly facts: ClusterFacts },
  ): OwnWrite["law"] {
    if (this.#autopilot?.state !== "Active") return undefined;
    const [first] = object.assets;
    if (truth === undefined) {
      const counterparts = object.assets.flatMap((asset) => asset.counterparts ?? []);
      return facts.hco !== undefined && counterparts.some((one) => isCounterpartApplied(one, facts.hco ?? { annotations: {} })) ? 2 : undefined; // biome-ignore format: one line
    }
    const isLabelled = body.metadata.labels?.[managedByLabel.key] !== undefined;
    if (truth.kind === "HyperConverged" && isLabelled) return 1;
    if (!isAutopilotObject(truth)) return undefined;
    if (first?.adoption === "whole") return 1;
    const fields = [...leafPaths(body, shapeOfObject(object, facts)), ...handOver].filter((path) => !writePath(path).startsWith("/metadata/annotations")); // biome-ignore format: one line
    const isTheirs = fields.some((path) => holdersOf(truth, path).some(({ manager }) => manager === autopilotName));
    return isTheirs ? 1 : undefined;
  }
}

/** Returns what a defective operator observes instead. */
function flawed(live: KubeObject | undefined, defect: CoexistenceDefect) {
  if (defect === "keeps its fields") return { isAutopilotActive: false };
  if (defect !== "corrects every difference" || live === undefined) return {};
  const labels = { ...live.metadata.labels, [managedByLabel.key]: managedByLabel.value };
  return { isAutopilotActive: false, live: { ...live, metadata: { ...live.metadata, labels } } };
}
