// Classifies MachineConfig changes by their effect on a node, as the Machine Config Daemon does.

import { type DisruptionClass, disruptionClasses, type Json, type KubeObject, type PoolDisruption } from "@virt/api";
import { affectedPools, keepMembers, type MachineConfig, readMachineConfig } from "@virt/cluster";
import { asList, asText, at, compareUtf8, equalJson, type InformerSpec, isMap, member } from "@virt/objects";
import type { Assessment } from "./assessed.ts";

/** Returns the worst class in the list, or `None` if it is empty. */
export function worstClass(classes: readonly DisruptionClass[]): DisruptionClass {
  return disruptionClasses.find((each) => classes.includes(each)) ?? "None";
}

/** Returns the severity of an item that causes this disruption. `Drain` counts as `High`, like `Reboot`. */
export function severityOfClass(disruption: DisruptionClass): "High" | "Medium" | "Low" {
  return ({ Reboot: "High", Drain: "High", Reload: "Medium", None: "Low" } as const)[disruption];
}

/** The differences between two rendered configurations that determine the disruption. */
export type ConfigChange = {
  /** True if a part of the operating system differs: image, kernel arguments, kernel type, extensions or FIPS. */
  readonly isOfSystem: boolean;
  /** The paths of files that are added, removed or changed. `units` are the names of such units. */
  readonly files: readonly string[];
  readonly units: readonly string[];
  readonly isOfUsers: boolean;
};

/** Compares two versions of a MachineConfig. Undefined means that it does not exist. */
export function diffConfigs(before: KubeObject | undefined, after: KubeObject | undefined): ConfigChange {
  const [old, wanted] = [readMachineConfig(before), readMachineConfig(after)];
  const isChanged = (part: keyof MachineConfig) => !equalJson(old[part], wanted[part]);
  return {
    isOfSystem: systemParts.some(isChanged),
    files: changedNames(old.files, wanted.files, "path"),
    units: changedNames(old.units, wanted.units, "name"),
    isOfUsers: isChanged("users") || isChanged("groups"),
  };
}

// The order of kernel arguments and extensions matters.
const systemParts = ["osImageURL", "kernelArguments", "kernelType", "extensions", "hasFips"] as const;

function changedNames(before: readonly Json[], after: readonly Json[], key: string): readonly string[] {
  const [old, wanted] = [partsByName(before, key), partsByName(after, key)];
  const names = new Set([...old.keys(), ...wanted.keys()]);
  return [...names].filter((name) => !equalJson(old.get(name), wanted.get(name))).toSorted(compareUtf8);
}

function partsByName(parts: readonly Json[], key: string): ReadonlyMap<string, Json> {
  return new Map(parts.flatMap((part) => namedPart(part, key)));
}

function namedPart(part: Json, key: string): readonly (readonly [string, Json])[] {
  const name = asText(member(part, key));
  return name === undefined ? [] : [[name, part]];
}

/** The MachineConfiguration `cluster`, with the disruption policies in force. */
export const disruptionPolicyInformer: InformerSpec = {
  apiVersion: "operator.openshift.io/v1",
  kind: "MachineConfiguration",
  name: "cluster",
  projection: keepMembers(["status", "nodeDisruptionPolicyStatus", "clusterPolicies"]),
};

/** The actions that replace a reboot, by file path, by unit, and for SSH keys. */
export type DisruptionPolicies = {
  readonly files: ReadonlyMap<string, DisruptionClass>;
  readonly units: ReadonlyMap<string, DisruptionClass>;
  readonly sshKeys: DisruptionClass | undefined;
};

/** Reads MachineConfiguration `cluster`, which includes the defaults. If it does not exist, all changes reboot nodes. */
export function readDisruptionPolicies(machineConfiguration: KubeObject | undefined): DisruptionPolicies {
  const policies = at(machineConfiguration, "status", "nodeDisruptionPolicyStatus", "clusterPolicies");
  const byName = (list: string, key: string) =>
    new Map([...partsByName(asList(at(policies, list)), key)].map(([name, policy]) => [name, classOfActions(policy)]));
  const sshKey = at(policies, "sshkey");
  return {
    files: byName("files", "path"),
    units: byName("units", "name"),
    sshKeys: isMap(sshKey) ? classOfActions(sshKey) : undefined,
  };
}

const classes: ReadonlyMap<string, DisruptionClass> = new Map<string, DisruptionClass>([
  ["Drain", "Drain"],
  ["Special", "Drain"], // upper bound: may skip the drain
  ["Reload", "Reload"],
  ["Restart", "Reload"],
  ["DaemonReload", "Reload"],
  ["None", "None"],
]);

// Returns the class of a policy's actions. An empty list and unknown actions count as a reboot.
function classOfActions(policy: Json): DisruptionClass {
  const actions = asList(member(policy, "actions"));
  if (actions.length === 0) return "Reboot";
  return worstClass(actions.map((action) => classes.get(asText(member(action, "type")) ?? "") ?? "Reboot"));
}

/** Returns the class of a change. Policies that could not be read count as empty. */
export function classOfChange(change: ConfigChange, policies: Assessment<DisruptionPolicies>): DisruptionClass {
  if (change.isOfSystem) return "Reboot";
  const known = policies.isAssessed ? policies.value : undefined;
  return worstClass([
    ...change.files.map((path) => policyOfFile(path, known?.files) ?? "Reboot"),
    ...change.units.map((name) => known?.units.get(name) ?? "Reboot"),
    ...(change.isOfUsers ? [known?.sshKeys ?? "Reboot"] : []),
  ]);
}

// Returns the policy for a file: the one with the longest path that is the file or a parent directory. Ignores `/`, as
// the daemon does.
function policyOfFile(path: string, files: DisruptionPolicies["files"] = new Map()): DisruptionClass | undefined {
  const isAbove = (each: string) => each !== "/" && path.startsWith(each.endsWith("/") ? each : `${each}/`);
  const above = [...files.keys()].filter((each) => path === each || isAbove(each));
  const longest = above.reduce<string | undefined>(
    (most, each) => (each.length > (most?.length ?? -1) ? each : most),
    undefined,
  );
  return longest === undefined ? undefined : files.get(longest);
}

/** A MachineConfig before and after its write. Undefined if it does not exist. */
export type MachineConfigWrite = { readonly before: KubeObject | undefined; readonly after: KubeObject | undefined };

/** Returns the worst effect on any pool, including pools that start or stop selecting the MachineConfig. */
export function classOfWrite(
  write: MachineConfigWrite,
  pools: readonly KubeObject[],
  policies: Assessment<DisruptionPolicies>,
): DisruptionClass {
  const own = classOfChange(diffConfigs(write.before, write.after), policies);
  return worstClass([own, ...disruptionOf([write], pools, policies).map((each) => each.class)]);
}

/**
 * Returns the effect on each pool, without pools of class `None`. It is an upper bound, because another MachineConfig
 * may override the files or units.
 */
export function disruptionOf(
  writes: readonly MachineConfigWrite[],
  pools: readonly KubeObject[],
  policies: Assessment<DisruptionPolicies>,
): readonly PoolDisruption[] {
  const found = writes.flatMap(({ before, after }) => {
    const [old, wanted] = [takersOf(before, pools), takersOf(after, pools)];
    // For a pool that starts or stops selecting the MachineConfig, all of its content changes.
    const changeOf = (pool: string) =>
      diffConfigs(old.has(pool) ? before : undefined, wanted.has(pool) ? after : undefined);
    return [...new Set([...old, ...wanted])].map((pool) => ({ pool, class: classOfChange(changeOf(pool), policies) }));
  });
  return [...Map.groupBy(found, ({ pool }) => pool)]
    .map(([pool, each]) => ({ pool, class: worstClass(each.map((one) => one.class)) }))
    .filter((each) => each.class !== "None")
    .toSorted((left, right) => compareUtf8(left.pool, right.pool));
}

function takersOf(machineConfig: KubeObject | undefined, pools: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(machineConfig === undefined ? [] : affectedPools(pools, machineConfig));
}

const mostPools = 16;

/**
 * Returns the part of the disruption that is shown in a plan and covered by its hash. Assessments and guards use the
 * whole list.
 */
export function publishedDisruption(disruption: readonly PoolDisruption[]): readonly PoolDisruption[] {
  return disruption.slice(0, mostPools);
}
