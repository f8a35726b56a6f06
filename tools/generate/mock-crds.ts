// Collects the mock CRDs of other projects for tests and the demo, and generates a stub for each missing catalog kind.

import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Profile } from "@virt/advisor";
import { asText, at, type JsonMap, type KubeObject, writeYaml } from "@virt/objects";
import type { Asset } from "@virt/platform";
import { load } from "js-yaml";
import { generatedMark, isGenerated } from "./generated-mark.ts";

const folder = "config/crd/mocks";

export type MockCrd = {
  readonly file: string;
  readonly text: string;
  readonly purpose: string;
  readonly crd: KubeObject;
};

/** Sorted by name. A hand-written mock replaces the stub of its kind. */
export function mockCrds(catalog: CatalogKinds): readonly MockCrd[] {
  const written = globSync(`${folder}/*.yaml`)
    .map((file) => mockOf(file, readFileSync(file, "utf8")))
    .filter(({ text }) => !isGenerated(text));
  const known = new Set(written.map(({ crd }) => crd.metadata.name));
  const missing = kindsOf(catalog).filter(({ plural, group }) => !known.has(`${plural}.${group}`));
  const stubs = [...new Map(missing.map((kind) => [`${kind.plural}.${kind.group}`, stubOf(kind)])).values()];
  const twice = [...written, ...stubs].map(({ file }) => file).filter((file, at, all) => all.indexOf(file) !== at);
  if (twice.length > 0)
    throw new Error(`several kinds would use the file ${twice.join(", ")}: give one of the mocks another name`);
  return [...written, ...stubs].toSorted((left, right) => (left.file < right.file ? -1 : 1));
}

export function stubFiles(mocks: readonly MockCrd[]): Readonly<Record<string, string>> {
  return Object.fromEntries(mocks.flatMap(({ file, text }) => (isGenerated(text) ? [[file, text]] : [])));
}

function mockOf(file: string, text: string): MockCrd {
  const purpose = text.split("\n")[0]?.replace(/^# /, "") ?? "";
  return { file, text, purpose, crd: load(text) as KubeObject };
}

export type CatalogKinds = { readonly assets: readonly Asset[]; readonly profiles: readonly Profile[] };

type CustomKind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
};

function kindsOf({ assets, profiles }: CatalogKinds): readonly CustomKind[] {
  return [...assets.flatMap(kindsOfAsset), ...profiles.flatMap(kindsOfProfile)];
}

function kindsOfAsset({ target, needs, gates = [] }: Asset): readonly CustomKind[] {
  const own = target.crd === undefined ? [] : [{ ...target, crd: target.crd }];
  return [...own, ...[...needs, ...gates].map((needed) => ({ ...needed, namespace: "any" }))].map(
    ({ apiVersion, kind, crd, namespace }) => ({
      group: apiVersion.slice(0, apiVersion.indexOf("/")),
      version: apiVersion.slice(apiVersion.indexOf("/") + 1),
      kind,
      plural: crd.slice(0, crd.indexOf(".")),
      isNamespaced: namespace !== undefined,
    }),
  );
}

function kindsOfProfile({ name, targets, needs }: Profile): readonly CustomKind[] {
  return targets.flatMap(({ group, kind, plural, namespaces, forms = [] }) => {
    if (isBuiltIn(group)) return [];
    const need = needs(undefined).find((one) => one.group === group && one.kind === kind);
    const [version] = need?.versions ?? forms.map(({ apiVersion }) => apiVersion.slice(group.length + 1));
    if (version === undefined) throw new Error(`profile ${name} writes ${kind} of ${group} in an unknown version`);
    return [{ group, version, kind, plural, isNamespaced: namespaces !== undefined }];
  });
}

function isBuiltIn(group: string): boolean {
  return !group.includes(".") || group.endsWith(".k8s.io");
}

/** Returns a schema that accepts any content: server-side apply merges maps and replaces lists. */
function stubOf({ group, version, kind, plural, isNamespaced }: CustomKind): MockCrd {
  const open: JsonMap = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: isNamespaced ? "Namespaced" : "Cluster",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
        },
      ],
    },
  };
  const purpose = `${generatedMark}: a stub of ${kind} that accepts every field. Replace it with a mock.`;
  return mockOf(`${folder}/${plural}.yaml`, `# ${purpose}\n${writeYaml(crd)}`);
}

export function mockIndex(mocks: readonly MockCrd[]): string {
  return [
    "# Mock CRDs",
    "",
    "Mock CRDs of other projects, for tests and the demo on a machine without OpenShift. A mock may have fewer fields than the",
    "real CRD. For the fields that this project uses, both accept and reject the same values, which",
    "`test/integration/mock-crds.test.ts` checks on a real API server. If a kind has several files, install only one of them.",
    "If a kind of the catalog has no file here, a stub that accepts every field is generated. To validate renders against a",
    "schema, replace the stub with a mock. The operator bundles the trimmed schemas of the newest mocks",
    "(`packages/reads/src/preview/bundled-schemas.ts`). This list is generated (`make generate`).",
    "",
    "| file | kind | group | served | scope | stands for |",
    "|---|---|---|---|---|---|",
    ...mocks.map(row),
    "",
  ].join("\n");
}

type Version = { readonly name: string; readonly served: boolean };

function row({ file, purpose, crd }: MockCrd): string {
  const [group, scope, kind] = [["group"], ["scope"], ["names", "kind"]].map((path) =>
    asText(at(crd, "spec", ...path)),
  );
  const versions = at(crd, "spec", "versions") as unknown as readonly Version[];
  const served = versions.filter((version) => version.served).map(({ name }) => name);
  const page = basename(file);
  return `| [${page}](${page}) | ${kind} | ${group} | ${served.join(", ")} | ${scope} | ${purpose} |`;
}
