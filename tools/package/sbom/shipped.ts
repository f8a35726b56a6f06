// Which packages of others are in bundles: what esbuild says went in, with what the lock file knows of it.

import type { Metafile } from "esbuild";

export type LockFile = { readonly packages: Readonly<Record<string, LockedPackage>> };

type LockedPackage = { readonly version?: string; readonly license?: string; readonly integrity?: string };

export type ShippedPackage = {
  /** Its place in the tree of installed packages, which is also its key in the lock file. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** As npm writes it: the algorithm, a dash, base64. */
  readonly integrity: string;
};

const nest = "node_modules/";

/** Sorted by folder. A package that the lock file does not vouch for is a fault. */
export function shippedPackages(metafiles: readonly Metafile[], lock: LockFile): readonly ShippedPackage[] {
  const folders = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([file]) => packageFolder(file) ?? []);
  return [...new Set(folders)].toSorted().map((folder) => vouched(folder, lock));
}

/** Undefined for sources of ours. */
export function packageFolder(file: string): string | undefined {
  const start = file.indexOf(nest);
  if (start === -1) return undefined;
  const inside = file.lastIndexOf(nest) + nest.length;
  const parts = file.slice(inside).split("/");
  const name = parts.slice(0, parts[0]?.startsWith("@") ? 2 : 1).join("/");
  return `${file.slice(start, inside)}${name}`;
}

function vouched(folder: string, lock: LockFile): ShippedPackage {
  const { version, license, integrity } = lock.packages[folder] ?? {};
  if (version === undefined || license === undefined || integrity === undefined)
    throw new Error(`package-lock.json has no version, licence and integrity of ${folder}, which is in the bundle`);
  const name = folder.slice(folder.lastIndexOf(nest) + nest.length);
  return { folder, name, version, license, integrity };
}
