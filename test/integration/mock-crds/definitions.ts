// Reads mock CRDs from the repository, and genuine ones from the folder next to it.

import { existsSync, readFileSync } from "node:fs";
import { type Crd, inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import type { Tree } from "./paths.ts";

export type Definition = {
  readonly crd: Crd;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly hasStatus: boolean;
  readonly schema: Tree;
  /** Names, scope, subresources and printer columns: everything that clients see apart from the schema. */
  readonly identity: Tree;
};

type Version = {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: Tree };
  readonly subresources?: { readonly status?: Tree };
  readonly additionalPrinterColumns?: readonly Tree[];
};

type WholeCrd = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly Version[];
  };
};

const genuineFolder = inRepository("..", "shared", "crds");

export const isGenuineThere = existsSync(genuineFolder);

export function readMock(file: string): Definition {
  return define(read(inRepository("config", "crd", "mocks", file)));
}

/** Keeps only the given version, without its conversion webhook, which does not run. */
export function readGenuine(file: string, version: string): Definition {
  return define(read(`${genuineFolder}/${file}`), version);
}

function read(file: string): WholeCrd {
  return load(readFileSync(file, "utf8")) as WholeCrd;
}

function define({ apiVersion, kind, metadata: { name }, spec }: WholeCrd, wanted?: string): Definition {
  const version = spec.versions.find((one) => wanted === undefined || one.name === wanted);
  if (version === undefined) throw new Error(`${name} has no version ${wanted}`);
  const { group, scope, names } = spec;
  const { served, storage, subresources = {}, additionalPrinterColumns = [] } = version;
  const columns = additionalPrinterColumns.map((column) => ({ ...column, description: undefined }));
  return {
    crd: { apiVersion, kind, metadata: { name }, spec: { group, scope, names, versions: [version] } } as Crd,
    group,
    version: version.name,
    plural: names.plural,
    isNamespaced: scope === "Namespaced",
    hasStatus: "status" in subresources,
    schema: version.schema.openAPIV3Schema,
    identity: { group, scope, names, version: version.name, served, storage, subresources, columns },
  };
}
