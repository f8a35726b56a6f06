// Serves example-profile, which is disabled by default: tests use it because it touches no nodes.

import { existsSync } from "node:fs";
import { join } from "node:path";

const rightsOf = (release: string) => join(release, "config", "rbac", "example-profile");

/** Folders with the additional rights; none for an earlier release, whose advisor always has them. */
export function exampleRights(release: string): readonly string[] {
  return [rightsOf(release)].filter((folder) => existsSync(folder));
}

/** Flags that enable the profile; none for an earlier release, which always serves it. */
export function exampleFlags(release: string): readonly string[] {
  return existsSync(rightsOf(release)) ? ["--example-profile"] : [];
}
