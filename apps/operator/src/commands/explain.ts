// `explain`: why an asset is applied or not, check by check.

import { explain as explainAsset, explanationText } from "@virt/platform";
import { type Command, CommandError } from "./command.ts";
import { formatOf, inputFlags, outputFlag } from "./input-flags.ts";
import { printed } from "./print.ts";
import { requireAsset } from "./render.ts";
import { sceneFor } from "./scene.ts";

export const explain: Command = {
  takes: "<asset>",
  summary: "say why an asset is applied or not, and what would change that",
  flags: { ...inputFlags, ...outputFlag("status") },
  run: async (args, surroundings) => {
    const format = formatOf(args);
    const [name] = args.words;
    if (name === undefined) throw new CommandError("explain needs the name of an asset");
    const scene = await sceneFor(args, surroundings);
    requireAsset(scene, name);
    const told = scene.previews.flatMap((preview) => explainAsset(name, preview, scene.world) ?? []);
    const out = format === "status" ? told.map(explanationText).join("") : printed(told[0], format);
    return { out, notes: scene.notes };
  },
};
