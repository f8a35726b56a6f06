// `render`: what would be applied, as documents, as JSON, or as a table of all assets.

import { nearest, renderDocuments, renderEntries, renderStatus } from "@virt/platform";
import { type Command, CommandError, type Ended } from "./command.ts";
import { formatOf, inputFlags, outputFlag } from "./input-flags.ts";
import { printed } from "./print.ts";
import { type Scene, sceneFor } from "./scene.ts";

export const render: Command = {
  summary: "print the objects that would be applied, with why each is in or out",
  flags: {
    ...inputFlags,
    asset: { type: "text", default: "", help: "only this asset" },
    "show-excluded": { type: "boolean", default: false, help: "also assets that are not applied, as comments" },
    ...outputFlag("yaml"),
  },
  run: async (args, surroundings): Promise<Ended> => {
    const format = formatOf(args);
    const scene = await sceneFor(args, surroundings);
    const asset = args.text("asset") || undefined;
    if (asset !== undefined) requireAsset(scene, asset);
    const rows = scene.rows.filter((row) => asset === undefined || row.asset.name === asset);
    const entries = renderEntries(scene.previews, { asset, showExcluded: args.text("show-excluded") === "true" });
    const errors = rows.filter(({ status }) => status === "ERROR").length;
    return {
      out:
        format === "status"
          ? renderStatus(rows)
          : format === "yaml"
            ? renderDocuments(entries)
            : printed(entries, format),
      notes: scene.notes,
      ...(errors > 0 && { trouble: `${errors} of ${rows.length} assets cannot be rendered` }),
    };
  },
};

export function requireAsset({ rows }: Scene, name: string): void {
  if (rows.some(({ asset }) => asset.name === name)) return;
  const ofFeature = rows.flatMap(({ asset }) => (asset.feature === name ? [asset.name] : []));
  const hint =
    ofFeature.length > 0
      ? `${name} is a feature; its assets are ${ofFeature.join(", ")}`
      : `did you mean ${nearest(
          name,
          rows.map(({ asset }) => asset.name),
        )}?`;
  throw new CommandError(`Asset not found: ${name}; ${hint}`);
}
