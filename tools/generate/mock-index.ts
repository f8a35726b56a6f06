// The list of mock CRDs, from the CRDs themselves.

import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { load } from "js-yaml";

type Crd = {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
};

export function mockIndex(): string {
  return [
    "# Mock CRDs",
    "",
    "CRDs of other projects, written here as far as this project uses them, for tests and the demo on a machine without",
    "OpenShift. They may know fewer fields than the genuine ones; for the fields in use they accept and refuse the same,",
    "which `test/integration/mock-crds.test.ts` checks on a real API server. Of a kind with several files, install one.",
    "This list is generated (`make generate`).",
    "",
    "| file | kind | group | served | scope | stands for |",
    "|---|---|---|---|---|---|",
    ...globSync("config/crd/mocks/*.yaml").toSorted().map(row),
    "",
  ].join("\n");
}

function row(file: string): string {
  const text = readFileSync(file, "utf8");
  const { spec } = load(text) as Crd;
  const served = spec.versions.filter((version) => version.served).map((version) => version.name);
  const purpose = text.split("\n")[0]?.replace(/^# /, "") ?? "";
  const page = basename(file);
  return `| [${page}](${page}) | ${spec.names.kind} | ${spec.group} | ${served.join(", ")} | ${spec.scope} | ${purpose} |`;
}
