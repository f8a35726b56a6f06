// `exclusions`: the assets that are not applied, and why.

import { exclusionsOf, tableText } from "@virt/platform";
import type { Command } from "./command.ts";
import { formatOf, inputFlags, outputFlag } from "./input-flags.ts";
import { printed } from "./print.ts";
import { sceneFor } from "./scene.ts";

export const exclusions: Command = {
  summary: "list the assets that are not applied, with the reason of each",
  flags: { ...inputFlags, ...outputFlag("yaml") },
  run: async (args, surroundings) => {
    const format = formatOf(args);
    const { rows, notes } = await sceneFor(args, surroundings);
    const all = exclusionsOf(rows);
    const lines = all.map(({ asset, group, target, reason, details }) => [asset, group, target, reason, details]);
    const table = () => tableText([["ASSET", "GROUP", "TARGET", "REASON", "DETAILS"], ...lines]);
    return { out: format === "status" ? table() : printed(all, format), notes };
  },
};
