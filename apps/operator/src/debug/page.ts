// One page: finds out the format, looks at the world, and prints what it is asked for.

import type { Json } from "@virt/api";
import { writeYaml } from "@virt/engine";
import type { Asked, Reply, Route } from "@virt/kube";

/** Data in the format that was asked for; `documents` has a text of its own in YAML. */
export type Print = {
  readonly value: (value: unknown) => Reply;
  readonly documents: <T>(entries: readonly T[], asYaml: (entries: readonly T[]) => string) => Reply;
};

export type Shown<Seen> = (seen: Seen, asked: Asked, print: Print) => Reply;

const printers: Readonly<Record<string, Print>> = {
  yaml: {
    value: (value) => yaml(writeYaml(plain(value))),
    documents: (entries, asYaml) => yaml(asYaml(entries)),
  },
  json: { value: (value) => json(value), documents: (entries) => json(entries) },
};

/** `look` is asked anew for each page; undefined: there is no HyperConverged. */
export function page<Seen>(look: (signal: AbortSignal) => Promise<Seen | undefined>) {
  return (show: Shown<Seen>): Route =>
    async (asked) => {
      const format = asked.query.get("format") ?? "yaml";
      const print = Object.hasOwn(printers, format) ? printers[format] : undefined;
      if (print === undefined) return { status: 400, body: `Unsupported format: ${format}\n` };
      const seen = await look(asked.signal);
      if (seen === undefined) return { status: 503, body: "no HyperConverged resource found\n" };
      return show(seen, asked, print);
    };
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function yaml(body: string): Reply {
  return { status: 200, body, type: "application/yaml; charset=utf-8" };
}

function json(value: unknown): Reply {
  return { status: 200, body: `${JSON.stringify(value, null, 2)}\n`, type: "application/json; charset=utf-8" };
}
