// Predicts and simulates two consecutive rollouts of a random cluster.

import {
  readClusterShape,
  readNodeFact,
  readRunStrategy,
  readVirtSettings,
  readVmFact,
  roleLabel,
} from "@virt/cluster";
import {
  assessed,
  assessImpact,
  DrainErrors,
  diagnoseRollout,
  disruptionOf,
  type ImpactFacts,
  notAssessed,
  readDisruptionPolicies,
} from "@virt/impact";
import { outcomesByVm } from "@virt/impact/testing/vm-outcomes";
import { asList, at, type JsonMap, type KubeObject, member, oncePer } from "@virt/objects";
import { namespacedName } from "../../evictions.ts";
import { type InMemorySimulation, objectsOf, startedSimulation } from "../in-memory-simulation.ts";
import { changedFile, type RandomWorld } from "./random-worlds.ts";

type SecondsRange = { readonly low: number; readonly high: number };

/** The predicted range and the actual duration of one pool, or of all pools. */
export type PredictedDuration = SecondsRange & { readonly name: string; readonly seconds: number };

/** `vms` are the VMs whose outcome was not predicted. */
export type PredictedRollout = {
  readonly fits: string;
  readonly sources: { readonly restart: string; readonly migration: string };
  readonly plan: PredictedDuration;
  readonly pools: readonly PredictedDuration[];
  readonly vmsAssessed: number;
  readonly vms: readonly { readonly name: string; readonly predicted: string; readonly actual: string }[];
};

/** Returns undefined if the rollout was correctly predicted to get stuck. */
export function predictTwoRollouts(world: RandomWorld): readonly [PredictedRollout, PredictedRollout] | undefined {
  const simulation = startedSimulation(world.scenario, world.seed);
  const samples = new Map<string, readonly number[]>();
  const first = predictRollout(world, simulation, { change: "1", samples });
  const second = first && predictRollout(world, simulation, { change: "2", samples: first.samples });
  return first && second && [first.rollout, second.rollout];
}

type RolloutInput = { readonly change: string; readonly samples: ImpactFacts["restartSamples"] };

function predictRollout(world: RandomWorld, simulation: InMemorySimulation, { change, samples }: RolloutInput) {
  const after = changeOf(world, change);
  const facts = { ...factsOf(simulation, after), restartSamples: samples };
  const impact = assessImpact(facts);
  const predicted = outcomesByVm(facts);
  if (impact.duration === undefined || impact.held > 0 || impact.vms?.block !== 0) return undefined;
  const [begun, before] = [simulation.seconds(), simulation.history.length];
  simulation.addObject(after);
  const watched = watchRollout(simulation, facts, { change: after, begun });
  const plan = { low: impact.duration.lowSeconds, high: impact.duration.highSeconds };
  const actual = actualOutcomes(simulation, simulation.history.slice(before));
  const rollout: PredictedRollout = {
    fits: impact.capacity.fits,
    sources: impact.duration,
    plan: { name: "plan", ...plan, seconds: simulation.seconds() - begun },
    pools: impact.pools.map(({ name, lowSeconds = 0, highSeconds = 0 }) => ({
      name,
      low: lowSeconds,
      high: highSeconds,
      seconds: watched.ends.get(name) ?? 0,
    })),
    vmsAssessed: predicted.size,
    vms: [...predicted].flatMap(([name, outcome]) =>
      actual(name) === outcome ? [] : [{ name, predicted: outcome, actual: actual(name) }],
    ),
  };
  return { rollout, samples: watched.samples };
}

function changeOf({ role }: RandomWorld, change: string): KubeObject {
  const files = [{ path: changedFile, contents: { source: `data:,${change}` } }];
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name: `98-${role}-change-${change}`, labels: { [roleLabel]: role } },
    spec: { config: { ignition: { version: "3.2.0" }, storage: { files } } },
  };
}

const nodeFact = oncePer(readNodeFact);
const vmFact = oncePer(readVmFact);

function factsOf(simulation: InMemorySimulation, after: KubeObject): ImpactFacts {
  const { objects } = simulation;
  const ofKind = (kind: string) => objectsOf(simulation, kind);
  const pools = ofKind("MachineConfigPool");
  const policies = assessed(readDisruptionPolicies(objects.get("MachineConfiguration/cluster")));
  const strategies = ofKind("VirtualMachine").map(
    (owner) => [namespacedName(owner), readRunStrategy(owner) ?? ""] as const,
  );
  return {
    assessedAt: "2030-01-01T00:00:00Z",
    disruption: disruptionOf([{ before: undefined, after }], pools, policies),
    pools,
    nodes: assessed(ofKind("Node").map(nodeFact)),
    policies,
    renderedOf: (name) => objects.get(`MachineConfig/${name}`),
    shape: assessed(readClusterShape(objects.get("Infrastructure/cluster"))),
    settings: assessed(readVirtSettings(ofKind("KubeVirt")[0], undefined)),
    vms: assessed(ofKind("VirtualMachineInstance").map(vmFact)),
    runStrategies: assessed(new Map(strategies)),
    budgets: assessed([]),
    kubeletConfigs: assessed([]),
    pods: assessed(new Map()),
    restartSamples: new Map(),
  };
}

type WatchedRollout = { readonly change: KubeObject; readonly begun: number };

/** Runs until all pools have the change, and observes the same facts as the diagnosis. */
function watchRollout(simulation: InMemorySimulation, facts: ImpactFacts, { change, begun }: WatchedRollout) {
  const names = facts.disruption.map(({ pool }) => pool);
  const { name: machineConfig } = change.metadata;
  const ends = new Map<string, number>();
  const changes = [{ machineConfig, operation: "Apply", pools: names, hasKubeletDropIn: false } as const];
  let seen: readonly KubeObject[] = [];
  let diagnosis: ReturnType<typeof diagnoseRollout> | undefined;
  simulation.runUntil((cluster) => {
    const pools = cluster.list("MachineConfigPool");
    for (const pool of pools.filter(({ metadata }) => names.includes(metadata.name) && !ends.has(metadata.name)))
      if (hasTaken(pool, machineConfig)) ends.set(pool.metadata.name, simulation.seconds() - begun);
    const nodes = cluster.list("Node");
    if (nodes.every((node, at) => node === seen[at])) return ends.size === names.length;
    seen = nodes;
    diagnosis = diagnoseRollout({
      ...facts,
      pools,
      nodes: assessed(nodes.map(nodeFact)),
      vms: notAssessed("NotServed"),
      now: Date.parse(facts.assessedAt) + simulation.seconds() * 1000,
      changes,
      machineConfigNodes: notAssessed("NotServed"),
      migrations: notAssessed("NotServed"),
      drainedPods: new Map(),
      drainErrors: new DrainErrors(),
      kubeletConfigs: [],
      operators: [],
      before: diagnosis?.rollout,
      sightings: diagnosis?.sightings ?? new Map(),
      notAssessed: [],
      areVmsNamed: false,
    });
    return ends.size === names.length;
  });
  const observed = diagnosis?.rollout.pools ?? [];
  const samples = new Map(observed.map((pool) => [pool.name, pool.observed?.restartSeconds ?? []] as const));
  return { ends, samples };
}

function hasTaken(pool: KubeObject, machineConfig: string): boolean {
  const configuration = at(pool, "status", "configuration") as JsonMap | undefined;
  return asList(member(configuration, "source")).some((source) => member(source, "name") === machineConfig);
}

function actualOutcomes({ objects }: InMemorySimulation, history: readonly string[]) {
  const isRecorded = (start: string) => history.some((event) => event.startsWith(start));
  return (name: string): string => {
    const machine = objects.get(`VirtualMachineInstance/${name}`);
    const runs = machine !== undefined && at(machine, "status", "phase") === "Running";
    if (isRecorded(`vm ${name} is shut down`)) return runs ? "restart" : "stop";
    if (isRecorded(`vm ${name} is on `)) return runs ? "migrate" : "gone";
    return "nothing";
  };
}
