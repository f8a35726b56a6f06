// Which mock CRDs a simulated cluster gets: one file for each kind, the newest where there are several.

import { globSync } from "node:fs";
import { basename } from "node:path";

/** The generation that is installed of kinds with several; the workflow guide speaks of these. */
const chosen: Readonly<Record<string, string>> = { kubedeschedulers: "v532", hyperconvergeds: "v1beta1" };

export function mockFiles(without: readonly string[] = []): readonly string[] {
  const files = globSync("config/crd/mocks/*.yaml").toSorted();
  return files.filter((file) => {
    const [plural = "", generation] = basename(file, ".yaml").split("-");
    return !without.includes(plural) && (generation === undefined || chosen[plural] === generation);
  });
}
