// Reads VirtualMachineInstances of any shape, and computes their memory.

import type { Json, KubeObject } from "@virt/api";
import { asList, asNumber, asText, at, exceedsBytes, isMap, member, readBytes, readTime } from "@virt/objects";
import { readPlacement, type VmPlacement } from "./placement.ts";
import type { VirtSettings } from "./virt-settings.ts";

/** Memory is in bytes. Undefined if unknown. */
export type VmFact = {
  readonly namespace: string;
  readonly name: string;
  readonly isDeleting: boolean;
  readonly controller: { readonly kind: string; readonly name: string } | undefined;
  readonly evictionStrategy: string | undefined;
  readonly placement: VmPlacement;
  readonly gracePeriodSeconds: number;
  /** The current memory of the guest, or that of its spec. */
  readonly guestMemory: number | undefined;
  readonly requestedMemory: number | undefined;
  readonly memoryOverhead: number | undefined;
  readonly vcpus: number;
  readonly phase: string;
  /** Empty if the VM is on no node. */
  readonly node: string;
  /** The node that the VM must leave, or empty. */
  readonly evacuationNode: string;
  /** The LiveMigratable condition, or undefined without one. */
  readonly liveMigratable: { readonly isTrue: boolean; readonly reason: string } | undefined;
  /** The duration of the last migration, if it succeeded without post-copy. */
  readonly lastMigrationMs: number | undefined;
};

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

/** Returns the original reference, because a copy for each VM would double the memory. */
export function readController(object: KubeObject): VmFact["controller"] {
  const owner = asList(at(object, "metadata", "ownerReferences")).find((each) => member(each, "controller") === true);
  return isController(owner) ? owner : undefined;
}

function isController(owner: Json | undefined): owner is { readonly kind: string; readonly name: string } {
  return isObjectName(member(owner, "kind")) && isObjectName(member(owner, "name"));
}

// Longer names are invalid, but the API server does not limit them in references.
const mostNameBytes = 253;

function isObjectName(name: Json | undefined): boolean {
  return asText(name) !== undefined && !exceedsBytes(name, mostNameBytes + 2);
}

/** 1 EiB exceeds any machine. Larger values must not distort sums. */
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

// Shared object, because nearly all VMs have this value.
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

export function isOnNode(vm: VmFact): boolean {
  return vm.node !== "" && !isEnded(vm);
}

export function isEnded({ phase }: VmFact): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** Returns the bytes that a migration copies, or 0 if unknown. */
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
