// Finds VMs that block a drain because they cannot move, or because their migration does not start or finish.

import {
  type MigrationFact,
  type MigrationHold,
  migratedBytes,
  type NodeFact,
  readClusterShape,
  requestOf,
  type VirtSettings,
  type VmFact,
} from "@virt/cluster";
import { compareUtf8, readTime } from "@virt/objects";
import { settingsInForce } from "../assess-impact.ts";
import { assessedOr } from "../assessed.ts";
import { ClusterRooms, inNameOrder } from "../capacity.ts";
import { outcomeOf } from "../drained-vms.ts";
import { type DoctorFacts, hcoNamespaceOf, type PoolView, type RolloutCause } from "./rollout-view.ts";
import { aboutFinding, findingKey, type Sightings } from "./sightings.ts";

const [GiB, MiB] = [2 ** 30, 2 ** 20];

export class DrainedVmCauses {
  readonly #facts: DoctorFacts;
  readonly #sightings: Sightings;
  readonly #settings: VirtSettings;
  readonly #vmsByNode: ReadonlyMap<string, readonly VmFact[]>;
  readonly #migrations: ReadonlyMap<string, readonly MigrationFact[]>;
  readonly #underWay: readonly MigrationFact[];
  readonly #rooms: ClusterRooms;
  readonly #laterRooms: ClusterRooms;

  constructor(facts: DoctorFacts, pools: readonly PoolView[], sightings: Sightings) {
    const vms = assessedOr(facts.vms, []);
    const nodes = assessedOr(facts.nodes, []);
    const migrations = assessedOr(facts.migrations, []);
    this.#facts = facts;
    this.#sightings = sightings;
    this.#settings = settingsInForce(facts);
    this.#vmsByNode = Map.groupBy(vms, ({ node }) => node);
    this.#migrations = migrationsByVm(migrations);
    this.#underWay = migrations.filter(isUnderWay);
    this.#rooms = new ClusterRooms(nodes, vms, this.#settings);
    this.#laterRooms = new ClusterRooms(withReturningNodes(nodes, pools), vms, this.#settings);
  }

  ofNode(node: string, since: number): readonly RolloutCause[] {
    const vms = (this.#vmsByNode.get(node) ?? []).toSorted(inNameOrder);
    return [...vms.flatMap((vm) => this.#ofVm(vm, since)), ...this.#ofQueue(node, vms)];
  }

  #ofVm(vm: VmFact, since: number): readonly RolloutCause[] {
    const shape = assessedOr(this.#facts.shape, readClusterShape(undefined));
    const runStrategies = assessedOr(this.#facts.runStrategies, new Map<string, string>());
    const assessed = outcomeOf(vm, {
      settings: this.#settings,
      isSingleReplica: shape.isSingleReplica,
      runStrategyOf: (namespace, name) => runStrategies.get(`${namespace}/${name}`),
      hasTarget: ({ placement }) => this.#laterRooms.hasTarget(placement, new Set([vm.node])),
    });
    const isAsked = vm.evacuationNode === vm.node;
    if (assessed?.outcome === "block") {
      const id = assessed.reason === "NoTargetNode" ? "VMNoTarget" : "VMNotMigratable";
      return [{ ...this.#cause(id, vm, { reason: assessed.reason, n: vm.node }), reportedSince: since }];
    }
    if (assessed?.outcome === "external") return isAsked ? [this.#cause("ExternalEviction", vm)] : [];
    return assessed?.outcome === "migrate" && this.#facts.migrations.isAssessed
      ? this.#ofMigration(vm, isAsked, since)
      : [];
  }

  #ofMigration(vm: VmFact, isAsked: boolean, since: number): readonly RolloutCause[] {
    const { open, failures, failureReason, isWithoutTarget, searchedSince } = evacuationOf(
      this.#migrations.get(`${vm.namespace}/${vm.name}`) ?? [],
    );
    // Omitted if VM names are hidden, because KubeVirt's reason contains them.
    const reason = this.#facts.areVmsNamed && failureReason !== "" ? { reason: failureReason } : {};
    const failing = isAsked && failures >= 3 ? [this.#cause("MigrationFailing", vm, { k: failures, ...reason })] : [];
    // Only for requested evictions, because the search may have started in an earlier drain.
    const waiting = isWithoutTarget && isAsked ? [this.#unschedulable(vm, Math.max(since, searchedSince))] : [];
    const held = open?.hold === undefined ? [] : [this.#held(vm, open.hold)];
    const slow = open?.phase === "Running" ? this.#slow(vm, open) : [];
    const found = [...failing, ...waiting, ...held, ...slow];
    const isUnstarted = isAsked && open === undefined && found.length === 0 && this.#hasFreePlace(vm.node);
    return isUnstarted ? [this.#cause("EvacuationNotStarted", vm)] : found;
  }

  #cause(id: RolloutCause["id"], { namespace, name, node }: VmFact, values: RolloutCause["values"] = {}): RolloutCause {
    const shown = this.#facts.areVmsNamed ? name : "*";
    return {
      id,
      node,
      object: { kind: "VirtualMachineInstance", namespace, name: shown },
      values: { v: `${namespace}/${shown}`, ...values },
      names: { vm: shown, ns: namespace, hco: hcoNamespaceOf(this.#facts) },
    };
  }

  #unschedulable(vm: VmFact, reportedSince: number): RolloutCause {
    return { ...this.#cause("MigrationUnschedulable", vm, this.#shortOf(vm)), reportedSince };
  }

  #shortOf(vm: VmFact): RolloutCause["values"] {
    const free = this.#rooms.mostFree(vm.placement, new Set([vm.node]));
    const short = free === undefined ? 0 : Math.ceil((requestOf(vm, this.#settings) - free) / MiB);
    return short > 0 ? { short } : {};
  }

  #held(vm: VmFact, hold: MigrationHold): RolloutCause {
    const words = { quota: "the quota", backup: "a backup", "utility volume": "a utility volume" };
    const cause = this.#cause("MigrationHeld", vm, { hold: words[hold] });
    return hold === "quota" ? cause : { ...cause, severity: "warning" };
  }

  #slow(vm: VmFact, { namespace, name }: MigrationFact): readonly RolloutCause[] {
    const start = `migration of ${namespace}/${vm.name} runs: `;
    // After a restart of the process, continues with the age of the stored finding.
    const isUnknown = this.#facts.areVmsNamed && this.#sightings.rest(start) === undefined;
    const about = aboutFinding(vm.node, { namespace, name: vm.name });
    const shown = isUnknown ? this.#sightings.before(findingKey("MigrationSlow", about)) : undefined;
    const since = this.#sightings.see(`${start}${name}`, shown);
    const limitMs = (this.#settings.timeoutPerGiB * 1000 * migratedBytes(vm)) / GiB;
    const left = since + limitMs - this.#sightings.now;
    if (limitMs === 0) return [];
    const slowAt = since + Math.floor(0.8 * limitMs) + 1;
    if (this.#sightings.now < slowAt) {
      this.#sightings.expectAt(slowAt);
      return [];
    }
    const t = left <= 60_000 ? "less than a minute" : `${Math.ceil(left / 60_000)} minutes`;
    return [{ ...this.#cause("MigrationSlow", vm, { t }), since }];
  }

  /** Returns when the last evacuation of a VM from the node started, in milliseconds. */
  lastEvacuationOf(node: string): number | undefined {
    const evacuations = assessedOr(this.#facts.migrations, []).filter(({ evacuatedNode }) => evacuatedNode === node);
    const times = evacuations.flatMap(({ created }) => readTime(created) ?? []);
    return times.reduce<number | undefined>((latest, each) => Math.max(latest ?? each, each), undefined);
  }

  /** Reports whether a VM on the node is being copied, which means that the drain makes progress. */
  isCopying(node: string): boolean {
    const here = this.#namesOn(node);
    return this.#underWay.some(({ namespace, vm, hasTarget }) => hasTarget && here.has(`${namespace}/${vm}`));
  }

  #hasFreePlace(node: string): boolean {
    const fromNode = this.#underWayFrom(node);
    const { migrationsPerCluster, migrationsPerNode } = this.#settings;
    return this.#underWay.length < migrationsPerCluster && fromNode < migrationsPerNode;
  }

  #underWayFrom(node: string): number {
    const here = this.#namesOn(node);
    return this.#underWay.filter(({ namespace, vm }) => here.has(`${namespace}/${vm}`)).length;
  }

  #namesOn(node: string): ReadonlySet<string> {
    return new Set((this.#vmsByNode.get(node) ?? []).map(({ namespace, name }) => `${namespace}/${name}`));
  }

  #ofQueue(node: string, vms: readonly VmFact[]): readonly RolloutCause[] {
    const pending = vms
      .flatMap(({ namespace, name }) => this.#migrations.get(`${namespace}/${name}`) ?? [])
      .filter((each) => isOpen(each) && !isUnderWay(each) && each.hold === undefined);
    if (pending.length === 0 || this.#hasFreePlace(node)) return [];
    const { migrationsPerCluster: P, migrationsPerNode: O } = this.#settings;
    const searching = this.#underWay.filter(({ phase }) => phase === "Scheduling").length;
    const about = { node, object: { kind: "Node", name: node } };
    const since = this.#seeQueue(node);
    if (searching * 2 >= P) return [{ id: "LanesTaken", ...about, values: { k: searching, P } }];
    const values = { k: pending.length, r: this.#underWay.length, P, x: this.#underWayFrom(node), O, n: node };
    return [{ id: "MigrationsQueued", ...about, values, since }];
  }

  // Measures from the start of the queue, because migrations also wait while finding LanesTaken is reported instead.
  #seeQueue(node: string): number {
    const about = aboutFinding(node, { name: node });
    const taken = this.#sightings.before(findingKey("LanesTaken", about));
    return this.#sightings.see(findingKey("MigrationsQueued", about), taken);
  }
}

const schedulable = "kubevirt.io/schedulable";

// Adds nodes that have been drained and will soon accept VMs again, because a VM that waits for them needs no action.
function withReturningNodes(nodes: readonly NodeFact[], pools: readonly PoolView[]): readonly NodeFact[] {
  const isReturning = new Set(
    pools
      .flatMap((pool) => pool.nodes)
      .filter(({ phase }) => phase === "Applying" || phase === "Rebooting" || phase === "Uncordoning")
      .map(({ node }) => node.name),
  );
  return nodes.map((node) => {
    if (!isReturning.has(node.name)) return node;
    const taints = node.taints.filter(({ key }) => !key.startsWith("node.kubernetes.io/"));
    // Sets the label, because KubeVirt sets it to false if a node has sent no heartbeat for 5 minutes.
    const labels = schedulable in node.labels ? { ...node.labels, [schedulable]: "true" } : node.labels;
    return { ...node, isReady: true, isCordoned: false, taints, labels };
  });
}

function isOpen({ phase }: MigrationFact): boolean {
  return phase !== "Succeeded" && phase !== "Failed";
}

/** Reports whether the migration uses one of the cluster's parallel migration slots. */
function isUnderWay(migration: MigrationFact): boolean {
  return isOpen(migration) && migration.phase !== "" && migration.phase !== "Pending";
}

/** Returns the migrations of each VM by `namespace/name`, oldest first. */
function migrationsByVm(migrations: readonly MigrationFact[]): ReadonlyMap<string, readonly MigrationFact[]> {
  const inOrder = migrations.toSorted(
    (left, right) => compareUtf8(left.created, right.created) || compareUtf8(left.name, right.name),
  );
  return Map.groupBy(inOrder, ({ namespace, vm }) => `${namespace}/${vm}`);
}

type EvacuationProgress = {
  readonly open: MigrationFact | undefined;
  readonly failures: number;
  readonly failureReason: string;
  /** True if the current or last attempt has not found a target node. */
  readonly isWithoutTarget: boolean;
  /** When the first of the consecutive attempts without a target node started, in milliseconds. 0 if unknown. */
  readonly searchedSince: number;
};

/** Returns a VM's evacuation progress. `migrations` must be sorted with the oldest first. */
function evacuationOf(migrations: readonly MigrationFact[]): EvacuationProgress {
  const evacuations = migrations.filter(({ evacuatedNode }) => evacuatedNode !== undefined);
  const ended = evacuations.filter((migration) => !isOpen(migration));
  const lastSuccess = ended.findLastIndex(({ phase }) => phase === "Succeeded");
  const failed = ended.slice(lastSuccess + 1);
  const open = migrations.findLast(isOpen);
  const isLastWithoutTarget = failed.length > 0 && failed.at(-1)?.hasTarget === false;
  const isSearching = open?.phase === "Scheduling" && !open.hasTarget;
  const isBetween = isLastWithoutTarget && (open === undefined || !isUnderWay(open));
  const attempts = [...failed, ...(open !== undefined && isSearching ? [open] : [])];
  const inARow = attempts.slice(attempts.findLastIndex(({ hasTarget }) => hasTarget) + 1);
  return {
    open,
    failures: failed.length,
    failureReason: failed.at(-1)?.failureReason ?? "",
    isWithoutTarget: isSearching || isBetween,
    searchedSince: readTime(inARow[0]?.searched ?? "") ?? 0,
  };
}
