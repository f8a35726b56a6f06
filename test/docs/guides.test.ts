// The guides for developers, followed to the letter in a copy of the catalog.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Profile } from "@virt/advisor";
import { type Asset, catalogFaults, type Feature, type Tombstone } from "@virt/platform";
import { inRepository } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openShift } from "../../catalog/assets/world.ts";
import { blocksIn } from "../e2e/blocks.ts";

type Catalog = {
  readonly assets: readonly Asset[];
  readonly features: readonly Feature[];
  readonly tombstones: readonly Tombstone[];
  readonly profiles: readonly Profile[];
};

const ownNamespace = "virt-platform-operator-system";
let folder: string;
let catalog: Catalog;

beforeAll(async () => {
  mkdirSync(inRepository(".make"), { recursive: true });
  folder = mkdtempSync(inRepository(".make", "guides-"));
  for (const one of ["catalog", "tsconfig.base.json", "tsconfig.pure.json"]) {
    const isSource = (path: string) => !path.endsWith(".test.ts");
    cpSync(inRepository(one), join(folder, one), { recursive: true, filter: isSource });
  }
  follow("profile-development-guide", "profiles/migration-limits", ["defaults.ts", "options.ts", "profile.ts"]);
  follow("asset-development-guide", "assets/platform-notice", ["asset.ts"]);
  catalog = (await import(pathToFileURL(join(folder, "catalog", "index.ts")).href)) as Catalog;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Makes the folder with the code of the guide, in its order, and the line in the list. */
function follow(guide: string, place: string, files: readonly string[]): void {
  const printed = blocksIn(readFileSync(inRepository("docs", `${guide}.md`), "utf8"));
  const code = printed.filter(({ language }) => language === "ts").map(({ text }) => text);
  expect(code).toHaveLength(files.length);
  mkdirSync(join(folder, "catalog", place));
  for (const [index, file] of files.entries()) writeFileSync(join(folder, "catalog", place, file), code[index] ?? "");
  const [kind = "", name = ""] = place.split("/");
  const list = join(folder, "catalog", kind, "index.ts");
  const lines = readFileSync(list, "utf8").replace(/(readonly \w+\[\] = \[)/, "$1added, ");
  writeFileSync(list, lines.replace(/^import /m, `import added from "./${name}/${files.at(-1)}";\nimport `));
}

test("the code of the guides compiles, in the pure world of the catalog", () => {
  const { stdout, status } = spawnSync(inRepository("node_modules", ".bin", "tsc"), ["-p", join(folder, "catalog")], {
    encoding: "utf8",
  });
  expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
});

test("the asset of the guide has no fault and renders its object", () => {
  const { features, tombstones } = catalog;
  const inOrder = catalog.assets.toSorted(
    (left, right) => left.order - right.order || (left.name < right.name ? -1 : 1),
  );
  expect(catalogFaults({ assets: inOrder, features, tombstones })).toEqual([]);
  const asset = inOrder.find(({ name }) => name === "platform-notice");
  expect(asset?.render({ ownNamespace, topology: { ...openShift, isCompact: true } })).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "virt-platform-notice", namespace: ownNamespace },
    data: { topology: "compact" },
  });
});

test("the profile of the guide plans its item", () => {
  const profile = catalog.profiles.find(({ name }) => name === "migration-limits");
  const hco = { apiVersion: "hco.kubevirt.io/v1beta1", namespace: "openshift-cnv", object: undefined };
  expect(profile?.plan({ perCluster: 7 }, { hco, ownNamespace })).toMatchObject([
    { message: "HyperConverged 'kubevirt-hyperconverged' will allow 7 migrations at a time" },
  ]);
});
