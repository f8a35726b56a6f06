// The flags that say what a command looks at, and how it prints.

import { namespace, oneOf } from "../flags.ts";
import type { FlagTable } from "../read-flags.ts";
import { type Arguments, CommandError } from "./command.ts";

export const inputFlags = {
  "hco-file": { type: "text", default: "", help: "a file with the HyperConverged; nothing else is asked for" },
  "facts-file": {
    type: "text",
    default: "",
    help: "a file with other objects of the cluster, YAML or JSON; may be given several times",
  },
  kubeconfig: { type: "text", default: "", help: "look at this cluster instead; nothing is written to it" },
  "hco-namespace": {
    type: "text",
    default: "",
    check: namespace,
    help: "the namespace of the HyperConverged; empty: wherever it is",
  },
  activation: {
    type: "text",
    default: "always",
    check: oneOf("opt-in", "always"),
    help: "as the operator would be started: opt-in idles until annotation autopilot asks for it",
  },
} as const satisfies FlagTable;

export const formats = ["yaml", "json", "status"] as const;
export type Format = (typeof formats)[number];

export const outputFlag = (usual: Format): FlagTable => ({
  output: { type: "text", default: usual, help: "yaml, json, or status for a table" },
});

export function formatOf(args: Arguments): Format {
  const wanted = args.text("output");
  const format = formats.find((known) => known === wanted);
  if (format === undefined) throw new CommandError(`unsupported output format: ${wanted}`);
  return format;
}
