// Generates the list of MachineConfigs that profiles write, for the console, which does not load the catalog.

import type { Profile } from "@virt/advisor";

export function planMachineConfigsModule(profiles: readonly Profile[]): string {
  const targets = profiles.flatMap((profile) => profile.targets).filter(({ kind }) => kind === "MachineConfig");
  const names = [...new Set(targets.flatMap((target) => target.names))].toSorted();
  return [
    "// Generated from the catalog (make generate): the MachineConfigs that profiles write.",
    "",
    "export const planMachineConfigs: ReadonlySet<string> = new Set([",
    ...names.map((name) => `  ${JSON.stringify(name)},`),
    "]);",
    "",
  ].join("\n");
}
