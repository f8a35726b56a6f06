// Our platform controller and the verb `adopt` in a simulation with virt-platform-autopilot, in memory.

import { globSync, readFileSync } from "node:fs";
import { autopilotAnnotation, fieldManagers, type JsonMap, type KubeObject, managedByLabel, type Ref } from "@virt/api";
import { assets, autopilotObjects, profiles } from "@virt/catalog";
import { assessed, readDisruptionPolicies } from "@virt/impact";
import { at, type Json } from "@virt/objects";
import {
  type AdoptionPlan,
  type AdoptionStep,
  nextAdoptionStep,
  objectKey,
  placesIn,
  readObjects,
  refOfObject,
} from "@virt/platform";
import { type Assumptions, assumeFacts, decideAdoption, previewCatalog, type ReadCluster } from "@virt/reads";
import { inRepository } from "@virt/testkit";
import type { Scenario } from "../scenario.ts";
import { type InMemorySimulation, mergePatch, objectsOf, simulateInMemory } from "./in-memory-simulation.ts";

const ownNamespace = "virt-platform-operator-system";
const switchedAt = "2030-01-01T00:00:00Z";
const now = Date.parse(switchedAt) + 60_000;
const superseded = /kubedeschedulers-v5(?:10|14|21)|hyperconvergeds-v1\./;

/** The schemas of the newest mock CRDs. */
const crds: readonly KubeObject[] = globSync(inRepository("config", "crd", "mocks", "*.yaml"))
  .filter((file) => !superseded.test(file))
  .flatMap((file) => {
    const read = readObjects(readFileSync(file, "utf8"));
    return read.kind === "objects" ? read.objects : [];
  });

const namespaces = ["openshift-kube-descheduler-operator", ownNamespace].map(
  (name): KubeObject => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
);

export class AdoptedSimulation {
  readonly simulation: InMemorySimulation;
  #steps = 0;

  constructor(scenario: Scenario, objects: readonly KubeObject[]) {
    this.simulation = simulateInMemory(scenario, 1);
    for (const object of [...crds, ...namespaces, ...objects]) this.simulation.addObject(object);
    this.simulation.runUntilIdle();
  }

  /** Returns the configuration that each pool rolls out. */
  targets(): Readonly<Record<string, Json | undefined>> {
    const pools = objectsOf(this.simulation, "MachineConfigPool");
    return Object.fromEntries(pools.map((pool) => [pool.metadata.name, at(pool, "spec", "configuration", "name")]));
  }

  live(ref: Ref): KubeObject | undefined {
    return this.simulation.objects.get(keyOf(ref));
  }

  /** Runs `adopt`, the controller and the simulation until the adoption is done. */
  async adopt(...replaced: readonly string[]): Promise<AdoptionPlan> {
    const { plan } = await decideAdoption(this.#read(), { assets, table: autopilotObjects, replaced });
    for (let steps = 0; steps < 200; steps++) {
      const step = this.#nextStep(plan);
      if (step.kind === "done") return plan;
      if (step.kind === "changed") throw new Error(step.message);
      this.#take(step);
      await this.#runController(); // oxlint-disable-line no-await-in-loop -- in turns
      if (step.kind !== "patch") this.simulation.runUntilIdle();
    }
    throw new Error("the adoption does not end");
  }

  #nextStep(plan: AdoptionPlan): AdoptionStep {
    const isAutopilotOff = this.#hco().metadata.annotations?.[autopilotAnnotation] === "false";
    const live = (ref: Ref) => this.live(ref);
    return nextAdoptionStep(plan, { hco: this.#hco(), isAutopilotOff, rollingPools: [], live });
  }

  #take(step: AdoptionStep): void {
    if (step.kind === "delete") this.simulation.objects.delete(keyOf(refOfObject(step.object)));
    if (step.kind !== "patch") return;
    const live = this.live(refOfObject(step.object)) as KubeObject;
    const changes = step.patch.flatMap((operation) => {
      const [, key] = /^\/metadata\/annotations\/(.+)$/.exec(operation.path) ?? [];
      if (key === undefined || operation.op === "test") return [];
      return [[key.replaceAll("~1", "/"), operation.op === "add" ? operation.value : null] as const];
    });
    const fieldsV1 = {
      "f:metadata": { "f:annotations": Object.fromEntries(changes.map(([key]) => [`f:${key}`, {}])) },
    };
    this.#put(
      live,
      { metadata: { annotations: Object.fromEntries(changes) } },
      entryOf(`person of step ${this.#steps++}`, fieldsV1),
    );
  }

  /** Applies what our controller decides, as an API server would. */
  async #runController(): Promise<void> {
    const { previews } = await this.#preview();
    for (const { decided } of previews) {
      if (decided?.decision.kind !== "apply") continue;
      const { intent } = decided.decision.apply;
      const fieldsV1 = { "f:metadata": { "f:labels": { [`f:${managedByLabel.key}`]: {} } } };
      const live = this.live(refOfObject(intent));
      if (live === undefined) this.simulation.addObject(intent);
      this.#put(this.live(refOfObject(intent)) as KubeObject, intent, entryOf(fieldManagers.platform, fieldsV1));
    }
  }

  #put(live: KubeObject, change: JsonMap, entry: JsonMap): void {
    const merged = mergePatch(live, change) as KubeObject;
    const others = ((live.metadata["managedFields"] ?? []) as readonly JsonMap[]).filter(
      ({ manager }) => manager !== entry["manager"],
    );
    const metadata = { ...merged.metadata, managedFields: [...others, entry] };
    this.simulation.objects.set(keyOf(refOfObject(live)), { ...merged, metadata });
  }

  #read(): ReadCluster {
    return {
      hco: this.#hco(),
      places: placesIn(this.#hco(), { ownNamespace }),
      isAutopilotInstalled: true,
      nodes: {
        pools: objectsOf(this.simulation, "MachineConfigPool"),
        policies: assessed(readDisruptionPolicies(undefined)),
      },
      preview: (assumed) => this.#preview(assumed),
      reads: {
        read: (ref) => {
          const object = this.live(ref);
          return Promise.resolve(object === undefined ? { kind: "absent" } : { kind: "found", object });
        },
        dryRunApply: (desired) => {
          const live = this.live(refOfObject(desired));
          return Promise.resolve({ kind: "done", live: mergePatch(live, desired) as KubeObject });
        },
      },
    };
  }

  #preview(assumed?: Assumptions) {
    const objects = [...this.simulation.objects.values()].filter(({ kind }) => kind !== "CustomResourceDefinition");
    const read = { hco: this.#hco(), facts: { objects, crds } };
    const facts = assumed === undefined ? read : assumeFacts(read, assumed);
    const reported = { mode: "opt-in", namespace: ownNamespace, hardwareChanges: [] } as const;
    return previewCatalog({
      catalog: { assets, profiles },
      source: { kind: "facts", read: facts, reported },
      environment: {},
      ownNamespace,
      hcoNamespace: "",
      activation: "opt-in",
      now,
    });
  }

  #hco(): KubeObject {
    return objectsOf(this.simulation, "HyperConverged")[0] as KubeObject;
  }
}

function entryOf(manager: string, fieldsV1: JsonMap): JsonMap {
  return { manager, operation: "Apply", time: switchedAt, fieldsType: "FieldsV1", fieldsV1 };
}

/** The key of the simulation leaves out an absent namespace. */
function keyOf(ref: Ref): string {
  return objectKey(ref).replace("//", "/");
}
