// Enables example-profile, which many tests use because it does not affect nodes.

import { existsSync } from "node:fs";
import { join } from "node:path";

const rightsOf = (release: string) => join(release, "config", "rbac", "example-profile");

/** Empty for an earlier release, whose advisor always has the rights. */
export function exampleRights(release: string): readonly string[] {
  return [rightsOf(release)].filter((folder) => existsSync(folder));
}

/** Empty for an earlier release, which always serves the profile. */
export function exampleFlags(release: string): readonly string[] {
  return existsSync(rightsOf(release)) ? ["--example-profile"] : [];
}
