// Selects the mock CRDs of a simulated cluster: one file per kind, by default the newest.

import { globSync } from "node:fs";
import { basename } from "node:path";

const chosen: Readonly<Record<string, string>> = { kubedeschedulers: "v532", hyperconvergeds: "v1beta1" };

export function mockFiles(without: readonly string[] = []): readonly string[] {
  const files = globSync("config/crd/mocks/*.yaml").toSorted();
  return files.filter((file) => {
    const [plural = "", generation] = basename(file, ".yaml").split("-");
    return !without.includes(plural) && (generation === undefined || chosen[plural] === generation);
  });
}
