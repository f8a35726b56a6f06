import { asList, asText, at, type Json, type KubeObject, member } from "@virt/objects";

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
