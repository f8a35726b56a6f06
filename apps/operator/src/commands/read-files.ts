// Reads what somebody wrote into files about a cluster.

import type { KubeObject } from "@virt/api";
import { type PlainFacts, readObjects } from "@virt/platform";
import { CommandError } from "./command.ts";
import { mockCrds } from "./mock-crds.ts";

export type Files = {
  readonly hco: string;
  readonly facts: readonly string[];
  /** Where the HyperConverged is, if its file does not say so. */
  readonly hcoNamespace: string;
};

export type Looked = { readonly hco: KubeObject; readonly facts: PlainFacts };

const ownNamespaceKind = { apiVersion: "v1", kind: "Namespace" };

/** Without any CRD our newest mock CRDs count as installed. The operator lives somewhere, so its namespace is there. */
export function readFiles(files: Files, readFile: (path: string) => string, ownNamespace: string): Looked {
  const [hco, ...beside] = objectsIn(files.hco, readFile);
  if (hco === undefined) throw new CommandError(`cannot read ${files.hco}: it has no object`);
  if (hco.kind !== "HyperConverged") throw new CommandError(`expected kind HyperConverged, got ${hco.kind}`);
  const given = [...beside, ...files.facts.flatMap((file) => objectsIn(file, readFile))];
  const isCrd = ({ kind }: KubeObject) => kind === "CustomResourceDefinition";
  const crds = given.filter(isCrd);
  return {
    hco: { ...hco, metadata: { ...hco.metadata, namespace: hco.metadata.namespace || files.hcoNamespace } },
    facts: {
      objects: [...given.filter((one) => !isCrd(one)), { ...ownNamespaceKind, metadata: { name: ownNamespace } }],
      crds: crds.length > 0 ? crds : mockCrds.map((text) => JSON.parse(text) as KubeObject),
    },
  };
}

function objectsIn(file: string, readFile: (path: string) => string): readonly KubeObject[] {
  const read = readObjects(textOf(file, readFile));
  if (read.kind === "refused") throw new CommandError(`cannot read ${file}: ${read.reason}`);
  return read.objects;
}

function textOf(file: string, readFile: (path: string) => string): string {
  try {
    return readFile(file);
  } catch (error) {
    const { code } = error as { readonly code?: string };
    throw new CommandError(`cannot read ${file}: ${code === "ENOENT" ? "no such file" : String(error)}`, {
      cause: error,
    });
  }
}
