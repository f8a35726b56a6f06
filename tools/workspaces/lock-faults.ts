// Finds differences between package.json files and package-lock.json, which `npm install --no-save` does not report.

import { isDeepStrictEqual } from "node:util";

const places = ["dependencies", "devDependencies", "optionalDependencies"] as const;

export type LockedManifest = { readonly [Place in (typeof places)[number]]?: Readonly<Record<string, string>> };

/** The compared part of a lock file, by folder: "" is the root, `node_modules/<name>` an installed package. */
export type LockFile = {
  readonly packages: Readonly<Record<string, LockedManifest & { readonly version?: string; readonly link?: boolean }>>;
};

/** Returns one line for each package.json that the lock file contradicts. Folder "" is the root. */
export function lockFaults(manifests: ReadonlyMap<string, LockedManifest>, { packages }: LockFile): readonly string[] {
  return [...manifests].flatMap(([folder, manifest]) => {
    const path = folder === "" ? "package.json" : `${folder}/package.json`;
    const locked = packages[folder];
    if (locked === undefined || places.some((place) => !isDeepStrictEqual(locked[place], manifest[place])))
      return [`package-lock.json is older than ${path}`];
    const declared = places.flatMap((place) => Object.entries(manifest[place] ?? {}));
    return declared.flatMap(([name, version]) => {
      const installed = packages[`${folder}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
      if (installed?.link === true || installed?.version === oldestIn(version)) return [];
      return [`package-lock.json has ${name} ${installed?.version ?? "nowhere"}, ${path} wants ${version}`];
    });
  });
}

/** A range contains the versions that the plugin accepts from the console. The plugin is built with the oldest one. */
function oldestIn(version: string): string {
  return version.replace(/^\^/, "");
}
