// Bundles the measured programs in the same way as the shipped ones, so that no program spends time on loading sources.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";
import { type BuildOptions, build } from "esbuild";
import { bundling } from "../../tools/bundling.ts";

const entries = {
  ours: ["bench", "programs", "ours.ts"],
  raw: ["bench", "programs", "raw.ts"],
  "field-observer": ["bench", "programs", "field-observer.ts"],
  copier: ["bench", "programs", "copier.ts"],
  "client-node": ["bench", "client-node", "program.ts"],
  storm: ["apps", "operator", "src", "main.ts"],
} as const;

export type ProgramName = keyof typeof entries;

/** The storm is the shipped operator with another catalog and an event-loop probe. */
const changes: Readonly<Partial<Record<string, BuildOptions>>> = {
  storm: {
    alias: { "@virt/catalog": inRepository("bench", "programs", "storm-catalog.ts") },
    inject: [inRepository("bench", "programs", "loop-delays.ts")],
  },
};

export const operatorProgram = inRepository("dist", "virt-operator.mjs");

export const programPath = (name: ProgramName): string => join(inRepository(".make", "bench"), `${name}.mjs`);

export async function bundlePrograms(): Promise<void> {
  if (!existsSync(operatorProgram)) throw new Error("there is no dist/virt-operator.mjs: run make build");
  if (!existsSync(inRepository("bench", "client-node", "node_modules")))
    throw new Error("@kubernetes/client-node is not installed: run make bench");
  for (const [name, path] of Object.entries(entries)) {
    await build({
      ...bundling,
      ...changes[name],
      entryPoints: [inRepository(...path)],
      outfile: programPath(name as ProgramName),
      logLevel: "error",
    });
  }
}
