// Reads MachineConfigs, and models their rendering by the Machine Config Operator, as far as we depend on it.

import {
  asList,
  asText,
  at,
  compareUtf8,
  digest,
  equalJson,
  isList,
  isMap,
  type Json,
  type JsonMap,
  type KubeObject,
  matchesSelector,
  member,
} from "@virt/objects";
import { readMachineConfigPool } from "./machine-config-pool.ts";

/** The content of a MachineConfig. Missing fields have the operator's defaults. */
export type MachineConfig = {
  readonly ignitionVersion: string | undefined;
  readonly files: readonly Json[];
  readonly units: readonly Json[];
  readonly users: readonly Json[];
  readonly groups: readonly Json[];
  readonly kernelArguments: readonly Json[];
  readonly kernelType: string;
  readonly osImageURL: string;
  readonly extensions: readonly Json[];
  readonly hasFips: boolean;
};

/** Reads a MachineConfig of any shape. If it is undefined, the content is empty. */
export function readMachineConfig(object: KubeObject | undefined): MachineConfig {
  const spec = member(object, "spec");
  const list = (...path: readonly string[]) => asList(at(spec, ...path));
  return {
    ignitionVersion: asText(at(spec, "config", "ignition", "version")),
    files: list("config", "storage", "files"),
    units: list("config", "systemd", "units"),
    users: list("config", "passwd", "users"),
    groups: list("config", "passwd", "groups"),
    kernelArguments: list("kernelArguments"),
    kernelType: asText(member(spec, "kernelType")) || "default",
    osImageURL: asText(member(spec, "osImageURL")) ?? "",
    extensions: list("extensions"),
    hasFips: member(spec, "fips") === true,
  };
}

/** The label that assigns a MachineConfig to pools. */
export const roleLabel = "machineconfiguration.openshift.io/role";

/** A rendered config. `source` lists the merged MachineConfigs in order. */
export type RenderedConfig = { readonly object: KubeObject; readonly source: readonly string[] };

/** Renders a pool's MachineConfigs. The result has the same name whenever it has the same content. */
export function renderConfig(pool: KubeObject, machineConfigs: readonly KubeObject[]): RenderedConfig {
  const selector = readMachineConfigPool(pool).machineConfigSelector;
  const selected = inOrder(machineConfigs.filter(({ metadata }) => matchesSelector(selector, metadata.labels ?? {})));
  const spec = mergedSpec(selected);
  const name = `rendered-${pool.metadata.name}-${digest(spec).slice(0, 32)}`;
  const object = {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name },
    spec,
  };
  return { object, source: selected.map(({ metadata }) => metadata.name) };
}

// Sorts by name, but puts those for worker first, because a custom pool inherits and overrides them.
function inOrder(machineConfigs: readonly KubeObject[]): readonly KubeObject[] {
  const rank = ({ metadata }: KubeObject) => (metadata.labels?.[roleLabel] === "worker" ? 0 : 1);
  return machineConfigs.toSorted(
    (left, right) => rank(left) - rank(right) || compareUtf8(left.metadata.name, right.metadata.name),
  );
}

function mergedSpec(machineConfigs: readonly KubeObject[]): JsonMap {
  const contents = machineConfigs.map(readMachineConfig);
  const versions = contents.flatMap(({ ignitionVersion }) => ignitionVersion ?? []);
  return {
    config: {
      ignition: { version: versions.toSorted(compareUtf8).at(-1) ?? "3.2.0" },
      storage: {
        files: merged(
          contents.flatMap(({ files }) => files),
          "path",
        ),
      },
      systemd: {
        units: merged(
          contents.flatMap(({ units }) => units),
          "name",
        ),
      },
    },
    kernelArguments: contents.flatMap(({ kernelArguments }) => kernelArguments),
  };
}

// Merges entries by name. The first entry determines the position, and for each field, the last entry wins. Drop-ins
// are merged in the same way.
function merged(parts: readonly Json[], key: string): readonly Json[] {
  const known = new Map<string, JsonMap>();
  for (const part of parts) {
    const name = asText(member(part, key));
    if (name === undefined || !isMap(part)) continue;
    const before = known.get(name) ?? {};
    const dropins = merged([...asList(before["dropins"]), ...asList(part["dropins"])], "name");
    known.set(name, { ...before, ...part, ...(dropins.length > 0 ? { dropins } : {}) });
  }
  return [...known.values()];
}

/**
 * Reports whether a rendered config contains all kernel arguments, files and units of a MachineConfig. Ignores all
 * other parts.
 */
export function containsConfig(rendered: KubeObject, machineConfig: KubeObject): boolean {
  const [whole, part] = [readMachineConfig(rendered), readMachineConfig(machineConfig)];
  return (
    part.kernelArguments.every((argument) => whole.kernelArguments.includes(argument)) &&
    hasParts(whole.files, part.files, "path", ["contents", "mode"]) &&
    hasParts(whole.units, part.units, "name", ["contents", "enabled", "mask", "dropins"])
  );
}

function hasParts(rendered: readonly Json[], parts: readonly Json[], key: string, members: readonly string[]): boolean {
  return parts.every((part) => {
    const twin = rendered.find((each) => equalJson(member(each, key), member(part, key)));
    return twin !== undefined && members.every((name) => covers(member(twin, name), member(part, name)));
  });
}

// Allows additional fields in the rendered config. The operator adds defaults, such as an empty compression, and merges
// drop-ins from other MachineConfigs.
function covers(rendered: Json | undefined, wanted: Json | undefined): boolean {
  if (isMap(wanted)) return Object.entries(wanted).every(([key, value]) => covers(member(rendered, key), value));
  if (isList(wanted)) return wanted.every((each) => asList(rendered).some((other) => covers(other, each)));
  return wanted === undefined || equalJson(rendered, wanted);
}

/** Returns the argument in effect, such as `psi=1`. The key ends at the first `=`. */
export function argumentInForce(kernelArguments: Json | undefined, key: string): string | undefined {
  return asList(kernelArguments)
    .flatMap((argument) => asText(argument) ?? [])
    .findLast((argument) => argument.split("=", 1)[0] === key);
}
