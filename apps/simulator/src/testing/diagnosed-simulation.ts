// A simulated rollout that is diagnosed after every change, and again whenever a finding becomes due.

import {
  infrastructureInformer,
  machineConfigNodeInformer,
  type PodFact,
  readBudgetFact,
  readClusterShape,
  readMachineConfigNodeFact,
  readMigrationFact,
  readNodeFact,
  readPodFact,
  readVirtSettings,
  readVmFact,
} from "@virt/cluster";
import {
  assessed,
  type Diagnosis,
  type DoctorFacts,
  DrainErrors,
  diagnoseRollout,
  drainingNodes,
  hasKubeletDropIn,
  readDisruptionPolicies,
  rolloutInformers,
} from "@virt/impact";
import { projectObject } from "@virt/kube";
import { asText, at, type KubeObject, matchesSelector, writeTime } from "@virt/objects";
import type { Scenario } from "../scenario.ts";
import { type InMemorySimulation, simulateInMemory } from "./in-memory-simulation.ts";

const startMs = Date.UTC(2030, 0, 1);
const debounceSeconds = 1;
const podAgeSeconds = 10;

const podMetadata = { apiVersion: "v1", kind: "Pod", projection: { keep: "metadata" } } as const;
const followed = [...rolloutInformers, infrastructureInformer];

/** The findings at a simulated time, in seconds. */
export type SeenFindings = {
  readonly seconds: number;
  readonly findings: Diagnosis["rollout"]["findings"];
};

export class DiagnosedSimulation {
  readonly simulation: InMemorySimulation;
  readonly seen: SeenFindings[] = [];
  readonly #change: KubeObject;
  #isStarted = false;
  #objects: ReadonlyMap<string, KubeObject> = new Map();
  /** When to diagnose the next change. Undefined if nothing has changed. */
  #dueSeconds: number | undefined;
  #facts: DoctorFacts | undefined;
  readonly #drainErrors = new DrainErrors();
  #podLists = new Map<string, { readonly pods: readonly PodFact[]; readonly seconds: number }>();
  #last: Diagnosis | undefined;

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

  /** Handles a MachineConfig that was applied and then deleted. */
  #lostTarget(machineConfig: string) {
    if (!this.#isStarted || this.#objects.has(`MachineConfig/${machineConfig}`)) return {};
    return { isTargetGone: true, waiting: { config: "load-aware-rebalancing", item: "enable-psi-metrics" } };
  }

  /** Calls `watch` for each state. The diagnosis runs one second after the first change, as in the operator. */
  runFor(seconds: number, watch?: () => unknown): void {
    this.simulation.runFor(seconds, () => {
      watch?.();
      const now = this.simulation.seconds();
      this.#diagnoseUntil(now);
      this.#objects = new Map(this.simulation.objects);
      for (const object of this.#objects.values())
        if (object.kind === "MachineConfigNode")
          this.#drainErrors.note(projectObject(object, machineConfigNodeInformer.projection));
      this.#dueSeconds ??= now + debounceSeconds;
    });
    this.#diagnoseUntil(this.simulation.seconds());
  }

  /** Repeats the diagnosis, because a finding can become due between two changes. */
  #diagnoseUntil(end: number): void {
    for (;;) {
      const nextAt = this.#last?.nextAt;
      const next = Math.min(
        this.#dueSeconds ?? Number.POSITIVE_INFINITY,
        nextAt === undefined ? Number.POSITIVE_INFINITY : (nextAt - startMs) / 1000,
        this.#podsDueSeconds,
      );
      if (next >= end) return;
      if (next === this.#dueSeconds) {
        this.#facts = this.#read();
        this.#dueSeconds = undefined;
      }
      this.#diagnose(next);
    }
  }

  #diagnose(seconds: number): void {
    if (this.#facts === undefined) return;
    const { rollout, sightings } = this.#last ?? { rollout: undefined, sightings: new Map<string, number>() };
    const drainedPods = this.#listPods(drainingNodes(this.#facts), seconds);
    const now = startMs + seconds * 1000;
    this.#last = diagnoseRollout({ ...this.#facts, drainedPods, now, before: rollout, sightings });
    this.seen.push({ seconds, findings: this.#last.rollout.findings });
  }

  /** Lists the pods on draining nodes every 10 seconds, because the operator does not watch pods. */
  #listPods(nodes: readonly string[], seconds: number): DoctorFacts["drainedPods"] {
    const lists = nodes.map((node) => {
      const known = this.#podLists.get(node);
      if (known !== undefined && seconds < known.seconds + podAgeSeconds) return [node, known] as const;
      const here = [...this.#objects.values()].filter(
        (object) => object.kind === "Pod" && at(object, "spec", "nodeName") === node,
      );
      const pods = here.map((object) => readPodFact(projectObject(object, podMetadata.projection)));
      return [node, { pods, seconds }] as const;
    });
    this.#podLists = new Map(lists);
    return new Map(lists.map(([node, { pods }]) => [node, pods]));
  }

  get #podsDueSeconds(): number {
    return Math.min(...[...this.#podLists.values()].map(({ seconds }) => seconds + podAgeSeconds));
  }

  /** Lists objects, projected as by the operator's informers. Throws for a kind that the operator does not watch. */
  #list(kind: string): readonly KubeObject[] {
    const informer = followed.find((spec) => spec.kind === kind);
    if (informer === undefined) throw new Error(`no informer for ${kind}`);
    return [...this.#objects.values()]
      .filter((object) => object.kind === kind)
      .map((object) => projectObject(object, informer.projection));
  }

  #read(): DoctorFacts {
    const [kubevirt] = this.#list("KubeVirt");
    const { name: machineConfig } = this.#change.metadata;
    const pools = poolsOf(this.#objects, this.#change).map(({ metadata }) => metadata.name);
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
      renderedOf: (name) => this.#objects.get(`MachineConfig/${name}`),
      shape: assessed(readClusterShape(this.#list("Infrastructure")[0])),
      settings: assessed(readVirtSettings(kubevirt, undefined)),
      vms: assessed(this.#list("VirtualMachineInstance").map(readVmFact)),
      runStrategies: assessed(new Map()),
      budgets: assessed(this.#list("PodDisruptionBudget").map(readBudgetFact)),
      machineConfigNodes: assessed(this.#list("MachineConfigNode").map(readMachineConfigNodeFact)),
      migrations: assessed(this.#list("VirtualMachineInstanceMigration").map(readMigrationFact)),
      drainedPods: new Map(),
      drainErrors: this.#drainErrors,
      kubeletConfigs: this.#list("KubeletConfig"),
      operators: ["HyperConverged", "KubeVirt", "KubeDescheduler"].flatMap((kind) => this.#list(kind)),
      before: undefined,
      sightings: new Map(),
      notAssessed: [],
      areVmsNamed: true,
    };
  }
}

function poolsOf(objects: ReadonlyMap<string, KubeObject>, { metadata }: KubeObject): readonly KubeObject[] {
  return [...objects.values()].filter(
    (object) =>
      object.kind === "MachineConfigPool" &&
      matchesSelector(at(object, "spec", "machineConfigSelector"), metadata.labels ?? {}),
  );
}

/** Reports whether all nodes in the affected pools have applied the change. */
export function isRolledOut({ objects }: InMemorySimulation, change: KubeObject): boolean {
  return poolsOf(objects, change).every((pool) => {
    const sources = JSON.stringify(at(pool, "spec", "configuration", "source") ?? []);
    const target = asText(at(pool, "spec", "configuration", "name"));
    return sources.includes(`"${change.metadata.name}"`) && at(pool, "status", "configuration", "name") === target;
  });
}
