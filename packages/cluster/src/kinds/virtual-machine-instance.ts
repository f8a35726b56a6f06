// Reads VirtualMachineInstances and the run strategies of VirtualMachines, and computes a VM's memory.

import type { Json, KubeObject } from "@virt/api";
import {
  asList,
  asNumber,
  asText,
  at,
  exceedsBytes,
  type InformerSpec,
  isMap,
  member,
  type ProjectionMember,
  readBytes,
  readTime,
} from "@virt/objects";
import { keepConditions, keepMembers, keepOwners, shortTexts } from "../informers.ts";
import type { VirtSettings } from "./kubevirt.ts";
import { textsOf } from "./node.ts";

/** The facts about a VM. Memory is in bytes, and undefined if unknown. */
export type VmFact = {
  readonly namespace: string;
  readonly name: string;
  readonly isDeleting: boolean;
  readonly controller: { readonly kind: string; readonly name: string } | undefined;
  readonly evictionStrategy: string | undefined;
  readonly placement: VmPlacement;
  readonly gracePeriodSeconds: number;
  /** The guest's current memory, or the memory in its spec. */
  readonly guestMemory: number | undefined;
  readonly requestedMemory: number | undefined;
  readonly memoryOverhead: number | undefined;
  readonly vcpus: number;
  readonly phase: string;
  /** Empty if the VM is not on a node. */
  readonly node: string;
  /** The node that the VM must leave, or empty. */
  readonly evacuationNode: string;
  /** The LiveMigratable condition, if there is one. */
  readonly liveMigratable: { readonly isTrue: boolean; readonly reason: string } | undefined;
  /** The duration of the last migration. Undefined unless it succeeded without post-copy. */
  readonly lastMigrationMs: number | undefined;
};

/** The node requirements of a VM. */
export type VmPlacement = {
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Terms of the required node affinity. At least one must match. Undefined if there are none. */
  readonly affinityTerms: readonly Json[] | undefined;
  readonly tolerations: readonly Json[];
  /** A key that is the same for VMs with the same requirements. */
  readonly key: string;
  /** Set if there are too many terms to evaluate. Such a VM is not assessed. */
  readonly isTooLarge?: true;
};

/** The size limit for placement rules. Without it, a user who can create VMs could block the assessment of all other VMs. */
const mostPlacementBytes = 8_000;
/** The limit on terms in a required node affinity, because each term is compared with each node. */
const mostTerms = 100;

const anyNode: VmPlacement = { nodeSelector: {}, affinityTerms: undefined, tolerations: [], key: "" };
/** Shared placement for all VMs that have too many terms to evaluate. */
export const tooLargePlacement: VmPlacement = { ...anyNode, key: "too large", isTooLarge: true };

/** All VirtualMachineInstances, reduced to what `readVmFact` needs. */
export const vmInformer: InformerSpec = {
  apiVersion: "kubevirt.io/v1",
  kind: "VirtualMachineInstance",
  projection: keepMembers(
    // Keeps only owners that are known to re-create a VM.
    ...shortTexts(...keepOwners("VirtualMachine", "VirtualMachineInstanceReplicaSet")),
    ["spec", "nodeSelector", { atMost: mostPlacementBytes }],
    [
      "spec",
      "affinity",
      "nodeAffinity",
      "requiredDuringSchedulingIgnoredDuringExecution",
      { atMost: mostPlacementBytes },
    ],
    ["spec", "tolerations", { atMost: mostPlacementBytes }],
    ...shortTexts(
      ["spec", "evictionStrategy"],
      ["spec", "terminationGracePeriodSeconds"],
      ["spec", "domain", "memory", "guest"],
      ["spec", "domain", "resources", "requests", "memory"],
      ...["sockets", "cores", "threads"].map((part): ProjectionMember => ["spec", "domain", "cpu", part]),
      ["status", "phase"],
      ["status", "nodeName"],
      ["status", "evacuationNodeName"],
      ...["completed", "failed", "mode", "startTimestamp", "endTimestamp"].map(
        (part): ProjectionMember => ["status", "migrationState", part],
      ),
      ["status", "memory", "guestCurrent"],
      ["status", "memory", "memoryOverhead"],
      ...keepConditions(["LiveMigratable"]),
    ),
  ),
};

/** Reads a VirtualMachineInstance of any shape. */
export function readVmFact(vmi: KubeObject): VmFact {
  const domain = at(vmi, "spec", "domain");
  const guestCurrent = readMemory(at(vmi, "status", "memory", "guestCurrent"));
  return {
    namespace: asText(at(vmi, "metadata", "namespace")) ?? "",
    name: asText(at(vmi, "metadata", "name")) ?? "",
    isDeleting: asText(at(vmi, "metadata", "deletionTimestamp")) !== undefined,
    controller: readController(vmi),
    evictionStrategy: asText(at(vmi, "spec", "evictionStrategy")),
    placement: readPlacement(vmi),
    gracePeriodSeconds: readGracePeriod(at(vmi, "spec", "terminationGracePeriodSeconds")),
    guestMemory: guestCurrent ?? readMemory(at(domain, "memory", "guest")),
    requestedMemory: readMemory(at(domain, "resources", "requests", "memory")),
    memoryOverhead: readMemory(at(vmi, "status", "memory", "memoryOverhead")),
    vcpus: ["sockets", "cores", "threads"].reduce((product, part) => product * readCount(at(domain, "cpu", part)), 1),
    phase: asText(at(vmi, "status", "phase")) ?? "",
    node: asText(at(vmi, "status", "nodeName")) ?? "",
    evacuationNode: asText(at(vmi, "status", "evacuationNodeName")) ?? "",
    liveMigratable: readLiveMigratable(vmi),
    lastMigrationMs: readLastMigration(at(vmi, "status", "migrationState")),
  };
}

/** Reads the scheduling requirements of a VirtualMachineInstance. */
export function readPlacement(vmi: KubeObject): VmPlacement {
  const selector = at(vmi, "spec", "nodeSelector");
  const required = at(vmi, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
  const tolerated = at(vmi, "spec", "tolerations");
  if ([selector, required, tolerated].some((part) => exceedsBytes(part, mostPlacementBytes))) return tooLargePlacement;
  if (isMap(required) && asList(member(required, "nodeSelectorTerms")).length > mostTerms) return tooLargePlacement;
  const tolerations = asList(tolerated);
  const nodeSelector = textsOf(selector, () => true);
  const affinityTerms = isMap(required) ? asList(member(required, "nodeSelectorTerms")) : undefined;
  if (Object.keys(nodeSelector).length === 0 && affinityTerms === undefined && tolerations.length === 0) return anyNode;
  const key = JSON.stringify([nodeSelector, affinityTerms ?? null, tolerations]);
  return { nodeSelector, affinityTerms, tolerations, key };
}

/** Returns the original reference, because copying it for each VM would double the memory. */
export function readController(object: KubeObject): VmFact["controller"] {
  const owner = asList(at(object, "metadata", "ownerReferences")).find((each) => member(each, "controller") === true);
  return isController(owner) ? owner : undefined;
}

function isController(owner: Json | undefined): owner is { readonly kind: string; readonly name: string } {
  return isObjectName(member(owner, "kind")) && isObjectName(member(owner, "name"));
}

// The maximum length of a name. The API server does not check names in references.
const mostNameBytes = 253;

function isObjectName(name: Json | undefined): boolean {
  return asText(name) !== undefined && !exceedsBytes(name, mostNameBytes + 2);
}

/** 1 EiB, which is more than any machine has. Larger values are capped, so that they do not distort sums. */
const mostMemory = 2 ** 60;

function readMemory(quantity: Json | undefined): number | undefined {
  const bytes = readBytes(quantity);
  return bytes === undefined ? undefined : Math.min(mostMemory, Math.trunc(bytes));
}

function readCount(value: Json | undefined): number {
  const count = asNumber(value) ?? 1;
  return Number.isInteger(count) && count >= 1 && count <= 4096 ? count : 1;
}

function readGracePeriod(value: Json | undefined): number {
  const seconds = asNumber(value) ?? -1;
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= 1e9 ? seconds : 30;
}

// A shared object, because nearly all VMs have this value.
const migratable = { isTrue: true, reason: "" };

function readLiveMigratable(vmi: KubeObject): VmFact["liveMigratable"] {
  const found = asList(at(vmi, "status", "conditions")).find((each) => member(each, "type") === "LiveMigratable");
  if (found === undefined) return undefined;
  const isTrue = member(found, "status") === "True";
  const reason = asText(member(found, "reason")) ?? "";
  return isTrue && reason === "" ? migratable : { isTrue, reason };
}

function readLastMigration(state: Json | undefined): number | undefined {
  if (!isMap(state) || state["completed"] !== true || state["failed"] === true || state["mode"] === "PostCopy")
    return undefined;
  const time = (key: string) => readTime(asText(state[key]) ?? "");
  const [start, end] = [time("startTimestamp"), time("endTimestamp")];
  return start === undefined || end === undefined || end < start ? undefined : end - start;
}

/** Reports whether the VM runs on a node. Returns false for VMs that are pending or have ended. */
export function isOnNode(vm: VmFact): boolean {
  return vm.node !== "" && !isEnded(vm);
}

/** Reports whether the VM has succeeded or failed. Its object can exist for a while afterwards. */
export function isEnded({ phase }: VmFact): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** Returns the number of bytes that a migration copies, or 0 if unknown. */
export function migratedBytes({ guestMemory, requestedMemory }: VmFact): number {
  return guestMemory ?? requestedMemory ?? 0;
}

const MiB = 2 ** 20;

/** Returns the memory request of the VM in bytes, including KubeVirt's overhead. */
export function requestOf(vm: VmFact, { memoryOvercommit }: Pick<VirtSettings, "memoryOvercommit">): number {
  const guest = vm.guestMemory ?? vm.requestedMemory ?? 0;
  const requested = vm.requestedMemory ?? Math.floor((guest * 100) / memoryOvercommit);
  const overhead = vm.memoryOverhead ?? 280 * MiB + 8 * MiB * vm.vcpus + Math.floor(guest / 512);
  return requested + overhead;
}

/** Returns the run strategy, from `runStrategy` or the older field `running`. Returns undefined if neither is set. */
export function readRunStrategy(virtualMachine: KubeObject): string | undefined {
  const running = at(virtualMachine, "spec", "running");
  const strategy = asText(at(virtualMachine, "spec", "runStrategy"));
  return strategy ?? (running === true ? "Always" : undefined);
}
