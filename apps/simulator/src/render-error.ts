// Why a pool's MachineConfigs cannot be merged, in the words of the Machine Config Operator.

import { asList, asText, at, type Json, type KubeObject, matchesSelector, member, readDataUrl } from "@virt/engine";
import { faultOf } from "./world.ts";

const supported = ["2.2.0", "3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0", "3.5.0"];

export function renderError(pool: KubeObject, machineConfigs: readonly KubeObject[]): string | undefined {
  const fault = faultOf(pool, "render-error");
  if (fault !== undefined) return told(pool, fault || "simulated failure");
  const selector = at(pool, "spec", "machineConfigSelector");
  const selected = machineConfigs.filter(({ metadata }) => matchesSelector(selector, metadata.labels ?? {}));
  if (selected.length === 0) return told(pool, "no MachineConfigs found matching selector");
  const [error] = selected.flatMap((machineConfig) => {
    const found = ignitionError(at(machineConfig, "spec", "config"));
    return found === undefined ? [] : [`${found}, in MachineConfig ${machineConfig.metadata.name}`];
  });
  return error === undefined ? undefined : told(pool, error);
}

function told({ metadata }: KubeObject, error: string): string {
  return `Failed to render configuration for pool ${metadata.name}: ${error}`;
}

function ignitionError(config: Json | undefined): string | undefined {
  if (config === undefined || config === null) return undefined;
  const version = asText(at(config, "ignition", "version")) ?? "";
  if (!supported.includes(version)) {
    return `parsing Ignition config failed: unknown version "${version}". Supported spec versions: ${supported.map((each) => each.slice(0, 3)).join(", ")}`;
  }
  const files = asList(at(config, "storage", "files"));
  const units = asList(at(config, "systemd", "units"));
  return [...files.map(fileError), ...units.map(unitError), twiceError(files, "path"), twiceError(units, "name")].find(
    (error) => error !== undefined,
  );
}

function fileError(file: Json): string | undefined {
  const path = asText(member(file, "path"));
  const source = asText(at(file, "contents", "source"));
  if (path === undefined || !path.startsWith("/")) return "parsing Ignition config failed: path not absolute";
  const isBroken = source?.startsWith("data:") === true && readDataUrl(source) === undefined;
  return isBroken ? `could not decode file "${path}": illegal data` : undefined;
}

function unitError(unit: Json): string | undefined {
  const isNamed = asText(member(unit, "name")) !== undefined;
  return isNamed ? undefined : "parsing Ignition config failed: invalid systemd unit extension";
}

function twiceError(parts: readonly Json[], key: string): string | undefined {
  const names = parts.map((part) => asText(member(part, key)));
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  return twice === undefined ? undefined : `parsing Ignition config failed: duplicate entry defined: ${twice}`;
}
