// A simulated rollout with the doctor at its side: it diagnoses every state, and again whenever it has said that something comes of age.

import { asText, at, type KubeObject, matchesSelector, writeTime } from "@virt/engine";
import { infrastructureInformer } from "@virt/facts";
import {
  assessed,
  type Diagnosis,
  type DoctorFacts,
  diagnoseRollout,
  hasKubeletDropIn,
  podsToRead,
  readBudgetFact,
  readClusterShape,
  readDisruptionPolicies,
  readMachineConfigNodeFact,
  readMigrationFact,
  readNodeFact,
  readPodFact,
  readVirtSettings,
  readVmFact,
  rolloutInformers,
} from "@virt/impact";
import { projectObject } from "@virt/kube";
import type { Scenario } from "../scenario.ts";
import { type InMemorySimulation, simulateInMemory } from "./in-memory-simulation.ts";

const startMs = Date.UTC(2030, 0, 1);

/** Of pods the metadata is read. */
const podMetadata = { apiVersion: "v1", kind: "Pod", projection: { keep: "metadata" } } as const;
const followed = [...rolloutInformers, infrastructureInformer, podMetadata];

/** What is seen at a moment, in simulated seconds. */
export type SeenFindings = {
  readonly seconds: number;
  readonly findings: Diagnosis["rollout"]["findings"];
};

export class DiagnosedSimulation {
  readonly simulation: InMemorySimulation;
  readonly seen: SeenFindings[] = [];
  readonly #change: KubeObject;
  #isStarted = false;
  #state = { seconds: 0, objects: new Map<string, KubeObject>(), isNew: false };
  #facts: DoctorFacts | undefined;
  #last: Diagnosis | undefined;

  /** At rest, before the change is there. */
  constructor(scenario: Scenario, change: KubeObject) {
    const created = () => writeTime(startMs + Math.floor(this.simulation.seconds()) * 1000);
    this.simulation = simulateInMemory(scenario, 1, created);
    this.#change = change;
    this.simulation.runFor(600);
  }

  get rollout(): Diagnosis["rollout"] | undefined {
    return this.#last?.rollout;
  }

  start(): void {
    this.#isStarted = true;
    this.simulation.addObject(this.#change);
  }

  /** The plan has applied the change, and it was deleted since. */
  #lostTarget(machineConfig: string) {
    if (!this.#isStarted || this.#state.objects.has(`MachineConfig/${machineConfig}`)) return {};
    return { isTargetGone: true, waiting: { config: "load-aware-rebalancing", item: "enable-psi-metrics" } };
  }

  /** `watch` sees each state. The doctor sees the last of each moment: it does not diagnose at once, either. */
  runFor(seconds: number, watch?: () => unknown): void {
    this.simulation.runFor(seconds, () => {
      watch?.();
      const now = this.simulation.seconds();
      if (now > this.#state.seconds) this.#diagnoseUntil(now);
      this.#state = { seconds: now, objects: new Map(this.simulation.objects), isNew: true };
    });
    this.#diagnoseUntil(this.simulation.seconds());
  }

  /** Between two states nothing changes but the age of things. */
  #diagnoseUntil(end: number): void {
    if (this.#state.isNew) this.#facts = this.#read();
    if (this.#state.isNew) this.#diagnose(this.#state.seconds);
    this.#state = { ...this.#state, isNew: false };
    for (;;) {
      const nextAt = this.#last?.nextAt;
      if (nextAt === undefined || nextAt >= startMs + end * 1000) return;
      this.#diagnose((nextAt - startMs) / 1000);
    }
  }

  #diagnose(seconds: number): void {
    if (this.#facts === undefined) return;
    const { rollout, sightings } = this.#last ?? { rollout: undefined, sightings: new Map<string, number>() };
    this.#last = diagnoseRollout({ ...this.#facts, now: startMs + seconds * 1000, before: rollout, sightings });
    this.seen.push({ seconds, findings: this.#last.rollout.findings });
  }

  /** As much of each object as an operator follows while nodes change, and no kind that it does not. */
  #list(kind: string): readonly KubeObject[] {
    const informer = followed.find((spec) => spec.kind === kind);
    if (informer === undefined) throw new Error(`nobody follows ${kind}`);
    return [...this.#state.objects.values()]
      .filter((object) => object.kind === kind)
      .map((object) => projectObject(object, informer.projection));
  }

  #read(): DoctorFacts {
    const [kubevirt] = this.#list("KubeVirt");
    const machineConfigNodes = assessed(this.#list("MachineConfigNode").map(readMachineConfigNodeFact));
    const sightings = this.#last?.sightings ?? new Map<string, number>();
    const named = podsToRead({ machineConfigNodes, sightings, before: this.#last?.rollout });
    const isNamed = ({ metadata }: KubeObject) =>
      named.some(({ namespace, name }) => metadata.namespace === namespace && metadata.name === name);
    const { name: machineConfig } = this.#change.metadata;
    const pools = poolsOf(this.#state.objects, this.#change).map(({ metadata }) => metadata.name);
    return {
      now: 0,
      disruption: pools.map((pool) => ({ pool, class: "Reboot" })),
      changes: [
        {
          machineConfig,
          operation: "Apply",
          pools,
          hasKubeletDropIn: hasKubeletDropIn(this.#change),
          ...this.#lostTarget(machineConfig),
        },
      ],
      pools: this.#list("MachineConfigPool"),
      nodes: assessed(this.#list("Node").map(readNodeFact)),
      policies: assessed(readDisruptionPolicies(this.#list("MachineConfiguration")[0])),
      renderedOf: (name) => this.#state.objects.get(`MachineConfig/${name}`),
      shape: assessed(readClusterShape(this.#list("Infrastructure")[0])),
      settings: assessed(readVirtSettings(kubevirt, undefined)),
      vms: assessed(this.#list("VirtualMachineInstance").map(readVmFact)),
      runStrategies: assessed(new Map()),
      budgets: assessed(this.#list("PodDisruptionBudget").map(readBudgetFact)),
      machineConfigNodes,
      migrations: assessed(this.#list("VirtualMachineInstanceMigration").map(readMigrationFact)),
      namedPods: this.#list("Pod").filter(isNamed).map(readPodFact),
      kubeletConfigs: this.#list("KubeletConfig"),
      operators: ["HyperConverged", "KubeVirt", "KubeDescheduler"].flatMap((kind) => this.#list(kind)),
      before: undefined,
      sightings: new Map(),
      areVmsNamed: true,
    };
  }
}

/** Those that are rendered with the change. */
function poolsOf(objects: ReadonlyMap<string, KubeObject>, { metadata }: KubeObject): readonly KubeObject[] {
  return [...objects.values()].filter(
    (object) =>
      object.kind === "MachineConfigPool" &&
      matchesSelector(at(object, "spec", "machineConfigSelector"), metadata.labels ?? {}),
  );
}

/** Whether all nodes of its pools run what has the change in it. */
export function isRolledOut({ objects }: InMemorySimulation, change: KubeObject): boolean {
  return poolsOf(objects, change).every((pool) => {
    const sources = JSON.stringify(at(pool, "spec", "configuration", "source") ?? []);
    const target = asText(at(pool, "spec", "configuration", "name"));
    return sources.includes(`"${change.metadata.name}"`) && at(pool, "status", "configuration", "name") === target;
  });
}
