// Lists the third-party packages in bundles, from the source files inside them and the lock file.

import type { Metafile } from "esbuild";

export type LockFile = { readonly packages: Readonly<Record<string, LockedPackage>> };

type LockedPackage = { readonly version?: string; readonly license?: string; readonly integrity?: string };

export type ShippedPackage = {
  /** The path in node_modules, which is also the key in the lock file. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** In npm's format: algorithm, dash, base64. */
  readonly integrity: string;
};

const nest = "node_modules/";

/** Returns the source files that contribute to the bundle. */
export function bundledSources({ outputs }: Metafile): readonly string[] {
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file);
}

/** Sorted by folder. Throws if the lock file lacks a package. */
export function shippedPackages(sources: readonly string[], lock: LockFile): readonly ShippedPackage[] {
  const folders = sources.flatMap((file) => packageFolder(file) ?? []);
  return [...new Set(folders)].toSorted().map((folder) => vouched(folder, lock));
}

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
