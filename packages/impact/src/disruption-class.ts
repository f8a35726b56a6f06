// What a change of a MachineConfig does to a node, as the Machine Config Daemon decides it.

import { type DisruptionClass, disruptionClasses, type Json, type KubeObject, type PoolDisruption } from "@virt/api";
import { affectedPools, asList, asText, at, compareUtf8, equalJson, isMap, member } from "@virt/engine";
import type { Assessment } from "./assessed.ts";

/** The worst of them; `None` of none. */
export function worstClass(classes: readonly DisruptionClass[]): DisruptionClass {
  return disruptionClasses.find((each) => classes.includes(each)) ?? "None";
}

/** How much a person should think before approving a MachineConfig of this class. */
export function severityOfClass(disruption: DisruptionClass): "High" | "Medium" | "Low" {
  return ({ Reboot: "High", Drain: "High", Reload: "Medium", None: "Low" } as const)[disruption];
}

/** What differs between two configurations, as far as the daemon asks. */
export type ConfigChange = {
  /** Whether the operating system differs: image, kernel arguments, kernel type, extensions, FIPS. */
  readonly isOfSystem: boolean;
  /** Paths of files and names of units that come, go or differ. */
  readonly files: readonly string[];
  readonly units: readonly string[];
  readonly isOfUsers: boolean;
};

/** From one MachineConfig to another; undefined: there is none. */
export function diffConfigs(before: KubeObject | undefined, after: KubeObject | undefined): ConfigChange {
  const isChanged = (read: (spec: Json | undefined) => Json) =>
    !equalJson(read(at(before, "spec")), read(at(after, "spec")));
  const changed = (path: readonly string[], key: string) => {
    const [old, wanted] = [before, after].map((object) =>
      partsByName(asList(at(object, "spec", "config", ...path)), key),
    );
    const names = new Set([...(old?.keys() ?? []), ...(wanted?.keys() ?? [])]);
    return [...names].filter((name) => !equalJson(old?.get(name), wanted?.get(name))).toSorted(compareUtf8);
  };
  return {
    isOfSystem: systemParts.some(isChanged),
    files: changed(["storage", "files"], "path"),
    units: changed(["systemd", "units"], "name"),
    isOfUsers: ["users", "groups"].some((part) => isChanged((spec) => asList(at(spec, "config", "passwd", part)))),
  };
}

// What is left out equals what the operator fills in. Of kernel arguments and extensions the order counts.
const systemParts: readonly ((spec: Json | undefined) => Json)[] = [
  (spec) => asText(member(spec, "osImageURL")) ?? "",
  (spec) => asList(member(spec, "kernelArguments")),
  (spec) => asText(member(spec, "kernelType")) || "default",
  (spec) => asList(member(spec, "extensions")),
  (spec) => member(spec, "fips") === true,
];

function partsByName(parts: readonly Json[], key: string): ReadonlyMap<string, Json> {
  return new Map(parts.flatMap((part) => namedPart(part, key)));
}

function namedPart(part: Json, key: string): readonly (readonly [string, Json])[] {
  const name = asText(member(part, key));
  return name === undefined ? [] : [[name, part]];
}

/** The actions that the cluster takes instead of a reboot: by path, by unit, and for SSH keys. */
export type DisruptionPolicies = {
  readonly files: ReadonlyMap<string, DisruptionClass>;
  readonly units: ReadonlyMap<string, DisruptionClass>;
  readonly sshKeys: DisruptionClass | undefined;
};

/** Of the MachineConfiguration `cluster`, with the operator's own policies in it; absent: there is none, and all else reboots. */
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
  ["Special", "Drain"], // it may spare the drain: an upper bound
  ["Reload", "Reload"],
  ["Restart", "Reload"],
  ["DaemonReload", "Reload"],
  ["None", "None"],
]);

// No action, or one that we do not know, may be anything.
function classOfActions(policy: Json): DisruptionClass {
  const actions = asList(member(policy, "actions"));
  if (actions.length === 0) return "Reboot";
  return worstClass(actions.map((action) => classes.get(asText(member(action, "type")) ?? "") ?? "Reboot"));
}

/** What the change does to a node. Policies that could not be read spare nothing. */
export function classOfChange(change: ConfigChange, policies: Assessment<DisruptionPolicies>): DisruptionClass {
  if (change.isOfSystem) return "Reboot";
  const known = policies.isAssessed ? policies.value : undefined;
  return worstClass([
    ...change.files.map((path) => policyOfFile(path, known?.files) ?? "Reboot"),
    ...change.units.map((name) => known?.units.get(name) ?? "Reboot"),
    ...(change.isOfUsers ? [known?.sshKeys ?? "Reboot"] : []),
  ]);
}

// The longest path that is the file or a directory above it. The daemon takes the root for no directory of anything.
function policyOfFile(path: string, files: DisruptionPolicies["files"] = new Map()): DisruptionClass | undefined {
  const isAbove = (each: string) => each !== "/" && path.startsWith(each.endsWith("/") ? each : `${each}/`);
  const above = [...files.keys()].filter((each) => path === each || isAbove(each));
  const longest = above.reduce<string | undefined>(
    (most, each) => (each.length > (most?.length ?? -1) ? each : most),
    undefined,
  );
  return longest === undefined ? undefined : files.get(longest);
}

/** A MachineConfig that a plan writes: as it is, and as it will be; undefined: it is not there. */
export type MachineConfigWrite = { readonly before: KubeObject | undefined; readonly after: KubeObject | undefined };

/** The worst that a write does, be it to a pool that takes it up or lets it go; without such a pool, what its content would do. */
export function classOfWrite(
  write: MachineConfigWrite,
  pools: readonly KubeObject[],
  policies: Assessment<DisruptionPolicies>,
): DisruptionClass {
  const own = classOfChange(diffConfigs(write.before, write.after), policies);
  return worstClass([own, ...disruptionOf([write], pools, policies).map((each) => each.class)]);
}

/**
 * What the writes alone do to each pool, by pool: exact for kernel arguments, an upper bound for files and units that another
 * MachineConfig overrides. Pools to which nothing happens are left out.
 */
export function disruptionOf(
  writes: readonly MachineConfigWrite[],
  pools: readonly KubeObject[],
  policies: Assessment<DisruptionPolicies>,
): readonly PoolDisruption[] {
  const found = writes.flatMap(({ before, after }) => {
    const [old, wanted] = [takersOf(before, pools), takersOf(after, pools)];
    // A pool that begins or ceases to select it gets or loses all of it.
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

/** As many as the status lists. */
const mostPools = 16;

/** What a plan shows of it and is hashed with. The assessment and the gate go by all of it. */
export function publishedDisruption(disruption: readonly PoolDisruption[]): readonly PoolDisruption[] {
  return disruption.slice(0, mostPools);
}
