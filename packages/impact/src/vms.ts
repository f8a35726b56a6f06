// What is known of a running VM (a VirtualMachineInstance of any shape), and how much memory it wants.

import type { Json, KubeObject } from "@virt/api";
import { asList, asNumber, asText, at, exceedsBytes, isMap, member, readBytes, readTime } from "@virt/engine";
import { readPlacement, type VmPlacement } from "./placement.ts";
import type { VirtSettings } from "./virt-settings.ts";

/** What is kept of a VM. Memory in bytes; undefined: it does not tell. */
export type VmFact = {
  readonly namespace: string;
  readonly name: string;
  readonly isDeleting: boolean;
  readonly controller: { readonly kind: string; readonly name: string } | undefined;
  readonly evictionStrategy: string | undefined;
  readonly placement: VmPlacement;
  readonly gracePeriodSeconds: number;
  /** What the guest has now, or is given at its start. */
  readonly guestMemory: number | undefined;
  readonly requestedMemory: number | undefined;
  readonly memoryOverhead: number | undefined;
  readonly vcpus: number;
  readonly phase: string;
  /** Empty: it is on no node. */
  readonly node: string;
  /** The node that it was asked to leave; empty: none. */
  readonly evacuationNode: string;
  /** The condition LiveMigratable; undefined: it has none. */
  readonly liveMigratable: { readonly isTrue: boolean; readonly reason: string } | undefined;
  /** How long its last migration took, if it was completed and the guest ran on until its end. */
  readonly lastMigrationMs: number | undefined;
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

/** The owner that would make the object again: its reference itself, since a copy for each of thousands of VMs would double them. */
export function readController(object: KubeObject): VmFact["controller"] {
  const owner = asList(at(object, "metadata", "ownerReferences")).find((each) => member(each, "controller") === true);
  return isController(owner) ? owner : undefined;
}

function isController(owner: Json | undefined): owner is { readonly kind: string; readonly name: string } {
  return isObjectName(member(owner, "kind")) && isObjectName(member(owner, "name"));
}

// No object has a longer name, and the API server does not limit it in a reference.
const mostNameBytes = 253;

function isObjectName(name: Json | undefined): boolean {
  return asText(name) !== undefined && !exceedsBytes(name, mostNameBytes + 2);
}

/** An EiB is more than any machine has; what claims to have more must not spoil sums. */
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

// Nearly all VMs have this one.
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

/** Reports whether the VM occupies its node. */
export function isOnNode(vm: VmFact): boolean {
  return vm.node !== "" && !isEnded(vm);
}

/** Reports whether the VM has stopped for good. */
export function isEnded({ phase }: VmFact): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** What a migration must copy, in bytes; 0 where nothing is known. */
export function migratedBytes({ guestMemory, requestedMemory }: VmFact): number {
  return guestMemory ?? requestedMemory ?? 0;
}

const MiB = 2 ** 20;

/** What the VM asks of a node, in bytes, with what KubeVirt needs beside the guest. */
export function requestOf(vm: VmFact, { memoryOvercommit }: Pick<VirtSettings, "memoryOvercommit">): number {
  const guest = vm.guestMemory ?? vm.requestedMemory ?? 0;
  const requested = vm.requestedMemory ?? Math.floor((guest * 100) / memoryOvercommit);
  const overhead = vm.memoryOverhead ?? 280 * MiB + 8 * MiB * vm.vcpus + Math.floor(guest / 512);
  return requested + overhead;
}
